import type { Crs } from '../../data/crs-reference.ts';
import { wgs84 } from './crs.ts';
import { transformer } from './transform.ts';

/** Degrees of a piece of a meridian, about ten metres. Pieces of axes are twice as long, in units of their system. */
const PIECE = 1e-4;

/** Axes of a grid in the plane of a coordinate system; their lengths do not matter. */
export interface PlaneAxes {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** Unit vectors on the earth, east and north, along the x and the y axis at each place; NaN where there is none. */
export interface AxisDirections {
  readonly x: { readonly east: Float64Array; readonly north: Float64Array };
  readonly y: { readonly east: Float64Array; readonly north: Float64Array };
}

/**
 * Directions of two axes on the earth, measured on short pieces of them. They differ from east and north by the
 * meridian convergence of a projection, by the pole of a rotated one, and where the axes are turned in the plane.
 * @param longitudes of the places in degrees, in WGS 84
 */
export async function axisDirections(
  crs: Crs,
  { x: along, y: up }: PlaneAxes,
  longitudes: Float64Array,
  latitudes: Float64Array,
): Promise<AxisDirections> {
  const [x, y] = [longitudes.slice(), latitudes.slice()];
  const [besideX, besideY] = [longitudes.slice(), latitudes.map((one) => (one > 0 ? one - PIECE : one + PIECE))];
  {
    using project = await transformer(wgs84, crs);
    project.forward(x, y);
    project.forward(besideX, besideY);
  }
  const pieces = x.map((one, n) => Math.hypot(one - besideX[n]!, y[n]! - besideY[n]!));
  using back = await transformer(crs, wgs84);
  const directionsOf = ([dx, dy]: PlaneAxes['x']) => {
    const length = Math.hypot(dx, dy);
    const [aside, above] = [dx / length, dy / length];
    const [x0, y0] = [x.map((one, n) => one - aside * pieces[n]!), y.map((one, n) => one - above * pieces[n]!)];
    const [x1, y1] = [x.map((one, n) => one + aside * pieces[n]!), y.map((one, n) => one + above * pieces[n]!)];
    back.forward(x0, y0);
    back.forward(x1, y1);
    const [east, north] = [new Float64Array(x.length), new Float64Array(x.length)];
    for (let n = 0; n < x.length; n++) {
      const over = x1[n]! - x0[n]!;
      const de = (over - 360 * Math.round(over / 360)) * Math.cos((latitudes[n]! * Math.PI) / 180);
      const dn = y1[n]! - y0[n]!;
      const distance = Math.hypot(de, dn);
      east[n] = de / distance;
      north[n] = dn / distance;
    }
    return { east, north };
  };
  return { x: directionsOf(along), y: directionsOf(up) };
}
