import type { Crs } from './crs-reference.ts';
import type { ExactIntegers, Item, Samples } from './item.ts';
import type { Origin } from './origin.ts';
import type { PulledAxis, TimeAxis } from './time-axis.ts';

/** One time series: an item, at a place or nowhere. */
export interface SeriesItem extends Item {
  /** x, y and perhaps z, in the data's coordinate system. */
  readonly position?: readonly number[];
}

/** Steps that follow each other: their offsets in units of the axis, and one array of as many values per item. */
export interface SeriesChunk {
  readonly firstStep: number;
  readonly offsets: Float64Array;
  readonly values: readonly (Samples | ExactIntegers)[];
}

/** Items over a common time axis. */
export interface Series {
  readonly kind: 'series';
  readonly crs?: Crs;
  readonly items: readonly SeriesItem[];
  readonly time: TimeAxis | PulledAxis;
  readonly origin?: Origin;
  /** All steps in order; may be called again, one iteration at a time. */
  chunks(): AsyncIterable<SeriesChunk>;
}
