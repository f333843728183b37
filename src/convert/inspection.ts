import type { DataKind } from '../data/data.ts';
import type { Field } from '../data/feature-collection.ts';
import type { FeatureStatistics } from '../data/feature-statistics.ts';
import type { Band } from '../data/grid.ts';
import type { BandStatistics } from '../data/grid-statistics.ts';
import type { Item } from '../data/item.ts';
import type { ItemFigures } from '../data/item-statistics.ts';
import type { TimeAxis, TimeUnit } from '../data/time-axis.ts';

export interface Extent {
  west: number;
  south: number;
  east: number;
  north: number;
}

export interface TimeInspection {
  steps: number;
  axis: 'calendar' | 'relative';
  spacing: TimeAxis['spacing'];
  unit: TimeUnit;
  /** ISO 8601 on the data's own clock; of a relative axis the offset in its unit. Absent without steps. */
  first?: string | number;
  last?: string | number;
  /** Of an equidistant axis, in its unit. */
  interval?: number;
}

export type ItemInspection = Pick<Item, 'type' | 'eum' | 'valueKind'> & { nodata?: number | string } & ItemFigures;

/** What is in a file, as JSON. */
export interface Inspection {
  size: number;
  /** What the content looks like, in words. */
  looksLike?: string;
  /** `datasetFormat`, and the reader that takes it. */
  format?: string;
  reader?: string;
  kind?: DataKind;
  crs?: { srid?: string; name: string; kind: string };
  /** In the file's own coordinates, and in degrees. */
  extent?: Extent;
  extentWgs84?: Extent;
  /** Of a grid. */
  width?: number;
  height?: number;
  /** GDAL's order, corner based. */
  affine?: readonly number[];
  bands?: (Pick<Band, 'name' | 'unit' | 'eum' | 'valueKind' | 'scale' | 'offset' | 'role'> & {
    type: string;
    nodata?: number | string;
  } & BandStatistics)[];
  /** Of a mesh. */
  nodes?: number;
  elements?: number;
  layers?: number;
  /** Those of them that follow the surface; the others lie at fixed heights. */
  sigmaLayers?: number;
  /** Of an array, besides time. */
  dimensions?: { name: string; unit?: string; length: number; first?: number; last?: number }[];
  /** Of data with items over time. */
  time?: TimeInspection;
  items?: ItemInspection[];
  /** Of features. */
  layer?: string;
  fields?: readonly Field[];
  statistics?: FeatureStatistics;
  /** What a conversion would leave out already when reading, and other remarks. */
  remarks: string[];
}
