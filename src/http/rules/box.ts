import { z } from 'zod';

/** In degrees, WGS 84. If west is greater than east, the box crosses the antimeridian. */
export interface DegreesBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** A parameter `west,south,east,north` in degrees. */
export const queryBox = () =>
  z
    .string()
    .max(200)
    .transform((text, context): DegreesBox => {
      const [west = NaN, south = NaN, east = NaN, north = NaN, ...more] = text.split(',').map(degrees);
      const longitudes = [west, east].every((each) => Math.abs(each) <= 180);
      if (more.length === 0 && longitudes && south >= -90 && north <= 90 && south <= north)
        return { west, south, east, north };
      context.addIssue(`must be west,south,east,north in degrees, not '${text}'`);
      return z.NEVER;
    });
const degrees = (text: string) => (/^\s*[+-]?\d{1,3}(\.\d{1,15})?\s*$/.test(text) ? Number(text) : NaN);
