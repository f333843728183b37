import type { Crs } from './crs-reference.ts';
import type { ExactIntegers, Item, Samples } from './item.ts';
import type { Origin } from './origin.ts';
import type { PulledAxis, TimeAxis } from './time-axis.ts';

/** One time series: an item, with or without a location. */
export interface SeriesItem extends Item {
  /** x, y and optionally z, in the coordinate system of the series. */
  readonly position?: readonly number[];
}

/** Consecutive steps: their offsets in units of the time axis, and per item an array with one value per step. */
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
  /** All steps in order. May be called again, but iterations must not overlap. */
  chunks(): AsyncIterable<SeriesChunk>;
}
