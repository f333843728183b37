import { RequestError } from '../../errors.ts';
import type { Interval } from './times.ts';

/** Longitude and latitude. */
export type Place = readonly [longitude: number, latitude: number];

export interface ValuesRequest extends Interval {
  readonly points: readonly Place[];
  /** Ids or names; absent: all. */
  readonly items?: readonly string[];
  /** Number from 0 at the bottom; absent: the highest. */
  readonly layer?: number;
  /** Metres around a point within which features are found; absent: 1. */
  readonly tolerance?: number;
}

export const pointsOf = (places: readonly Place[]): { x: Float64Array; y: Float64Array } => ({
  x: Float64Array.from(places, ([longitude]) => longitude),
  y: Float64Array.from(places, ([, latitude]) => latitude),
});

/** @throws RequestError for a place that is not on the earth */
export function checkPlaces(places: readonly Place[]): void {
  for (const [longitude, latitude] of places)
    if (!(Math.abs(longitude) <= 540 && Math.abs(latitude) <= 90))
      throw new RequestError(
        `${longitude},${latitude} is no place: give longitude (-180 to 180) and latitude (-90 to 90) in degrees.`,
      );
}
