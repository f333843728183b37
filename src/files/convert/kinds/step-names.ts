import type { DataKind } from '../../data/data.ts';
import type { TransformationName } from '../steps/transformations.ts';

const everywhere = [
  'CrsTransformation',
  'CalculateStatisticsTransformation',
  'ItemFilterTransformation',
  'SpatialFilterTransformation',
] as const;
const overTime = [...everywhere, 'TemporalFilterTransformation'] as const;
const inLayers = [...overTime, 'VerticalFilterTransformation'] as const;

/** The transformations that a kind of data supports. Their code loads with the first data of the kind. */
export const stepNames = {
  bytes: [],
  features: everywhere,
  series: overTime,
  array: overTime,
  grid: inLayers,
  mesh: inLayers,
} as const satisfies Readonly<Record<DataKind, readonly TransformationName[]>>;

/** The transformations that join several files of a kind into one. */
export const joinNames = {
  bytes: [],
  features: [],
  series: ['StackTransformation'],
  array: ['StackTransformation'],
  grid: ['MosaicTransformation', 'StackTransformation'],
  mesh: ['StackTransformation'],
} as const satisfies Readonly<Record<DataKind, readonly TransformationName[]>>;
