import type { Reader } from './define.ts';
import { featureSteps } from './feature-pipeline.ts';
import { gridSteps } from './grid-pipeline.ts';
import type { TransformationName } from './transformations.ts';
import { thatNeed } from './transformations.ts';
import type { DataKind } from './types.ts';

const stepsOf: { readonly [K in DataKind]?: object } = { grid: gridSteps, features: featureSteps };

/** What can be done to the data of a reader: they have what it takes, and their kind knows how. */
export const offeredBy = ({ has, produces }: Pick<Reader, 'has' | 'produces'>): TransformationName[] =>
  thatNeed(has).filter((name) => name in (stepsOf[produces] ?? {}));
