import type { DataKind } from '../data/data.ts';
import type { Reader } from '../formats/define.ts';
import { featureSteps } from './kinds/features.ts';
import { gridSteps } from './kinds/grid.ts';
import type { TransformationName } from './steps/transformations.ts';
import { thatNeed } from './steps/transformations.ts';

const stepsOf: { readonly [K in DataKind]?: object } = { grid: gridSteps, features: featureSteps };

/** What can be done to the data of a reader: they have what it takes, and their kind knows how. */
export const offeredBy = ({ has, produces }: Pick<Reader, 'has' | 'produces'>): TransformationName[] =>
  thatNeed(has).filter((name) => name in (stepsOf[produces] ?? {}));
