import type { DataKind } from '../../src/files/data/data.ts';
import { arrayModel } from './array-model.ts';
import { featuresModel } from './features-model.ts';
import { gridModel, lineModel } from './grid-model.ts';
import { meshModel } from './mesh-model.ts';
import type { Model } from './model.ts';
import { seriesModel } from './series-model.ts';

/** Generated data of each kind; the second where a writer takes none of the first. */
export const models: Readonly<Record<DataKind, readonly Model[]>> = {
  bytes: [],
  features: [featuresModel],
  grid: [gridModel, lineModel],
  mesh: [meshModel],
  series: [seriesModel],
  array: [arrayModel],
};
