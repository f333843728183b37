import type { Geometry } from '../../../data/feature-collection.ts';
import type { ZoneStatistic, ZoneWeights } from '../../../geo/zones/statistics.ts';
import type { SideInput } from '../side-input.ts';

export interface ZonalStatisticsTransformation {
  readonly type: 'ZonalStatisticsTransformation';
  /** Features whose polygons are the zones, or a single zone in the coordinate system `srid`, or that of the data. */
  readonly zones: SideInput | { readonly geometry: Geometry; readonly srid?: string };
  readonly statistics: readonly ZoneStatistic[];
  readonly weights: ZoneWeights;
  /** Field of the zones that names the series of each; absent: their numbers from 1. */
  readonly id?: string;
}
