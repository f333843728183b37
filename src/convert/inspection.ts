import type { DataKind } from '../data/data.ts';
import type { Field } from '../data/feature-collection.ts';
import type { FeatureStatistics } from '../data/feature-statistics.ts';
import type { Band } from '../data/grid.ts';
import type { BandStatistics } from '../data/grid-statistics.ts';

export interface Extent {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Description of the content of a file, as JSON. */
export interface Inspection {
  size: number;
  /** Name of the detected format, such as "GeoTIFF file". */
  looksLike?: string;
  /** `datasetFormat`. Absent, like `reader`: no reader supports the detected format. */
  format?: string;
  reader?: string;
  kind?: DataKind;
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
  bands?: (Pick<Band, 'name' | 'unit' | 'scale' | 'offset' | 'role'> & {
    type: string;
    nodata?: number | string;
  } & BandStatistics)[];
  /** `layer` to `statistics`: only for features. */
  layer?: string;
  fields?: readonly Field[];
  statistics?: FeatureStatistics;
  /** Losses and warnings that the reader reports. */
  remarks: string[];
}
