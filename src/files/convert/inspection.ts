import type { DataKind } from '../data/data.ts';
import type { Field } from '../data/feature-collection.ts';
import type { FeatureStatistics } from '../data/feature-statistics.ts';
import type { Band, LayerAxis } from '../data/grid.ts';
import type { BandStatistics } from '../data/grid-statistics.ts';
import type { Item } from '../data/item.ts';
import type { ItemFigures } from '../data/item-statistics.ts';
import type { TimeAxis, TimeUnit } from '../data/time-axis.ts';
import type { ByteRange } from './file-start.ts';

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
  /** Interval of an equidistant axis, in its unit. */
  interval?: number;
}

export type ItemInspection = Pick<Item, 'type' | 'eum' | 'valueKind'> & {
  nodata?: number | string;
} & Partial<ItemFigures>;

/** A writer that can follow the reader, and what it does with the data. */
export interface WriterInspection {
  name: string;
  /** `datasetFormat` of its files. */
  format: string;
  /** Parts of the data that the output will have. */
  keeps: string[];
  /** Sentences that the receipt will have in `lost`, as far as the header tells them. */
  loses: string[];
  /** Why it does not write these data; another parameter or a transformation may help. */
  refuses?: string;
}

/** Description of the content of a file, as JSON. */
export interface Inspection {
  size: number;
  /** Name of the detected format, such as "GeoTIFF file". */
  looksLike?: string;
  /** `datasetFormat`. */
  format: string;
  /** `FileReader`, which copies bytes, if no reader supports the content. */
  reader: string;
  kind: DataKind;
  crs?: { srid?: string; name: string; kind: string };
  /** In the coordinate system of the file. */
  extent?: Extent;
  /** In degrees. */
  extentWgs84?: Extent;
  /** `width` to `bands`: only for a grid. */
  width?: number;
  height?: number;
  /** GDAL geotransform: six numbers, corner based. */
  affine?: readonly number[];
  bands?: (Pick<Band, 'name' | 'unit' | 'eum' | 'valueKind' | 'scale' | 'offset' | 'role'> & {
    /** Absent where it is known only after the values were read. */
    type?: string;
    nodata?: number | string;
  } & Partial<BandStatistics> &
    Pick<BandStatistics, 'band'>)[];
  /** `nodes` to `sigmaLayers`: only for a mesh. */
  nodes?: number;
  elements?: number;
  /** Number of layers of a mesh or grid. */
  layers?: number;
  /** Only for a grid: height of the centre of the lowest layer, and distance between layer centres. */
  layerAxis?: Omit<LayerAxis, 'count'>;
  /** Number of layers that follow the surface (sigma); the others lie at fixed heights (z). */
  sigmaLayers?: number;
  /** Only for an array: its dimensions besides time. */
  dimensions?: { name: string; unit?: string; length: number; first?: number; last?: number }[];
  /** Only for data with items over time. */
  time?: TimeInspection;
  items?: ItemInspection[];
  /** `layer` to `statistics`: only for features. */
  layer?: string;
  fields?: readonly Field[];
  statistics?: FeatureStatistics;
  /** Losses and warnings that the reader reports. */
  remarks: string[];
  /** `writers` and `transformations`, names of those that can follow: only if they were asked for. */
  writers?: WriterInspection[];
  transformations?: string[];
}

/**
 * What the start of a file tells; absent members are not known. `remarks` say what follows from the start alone.
 */
export type StartInspection = Partial<Inspection> &
  Pick<Inspection, 'size' | 'remarks'> & {
    /** The bytes that the reader needed first and that are not in the start. */
    needsMore: ByteRange;
  };
