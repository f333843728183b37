import type { Affine } from '../../data/grid.ts';

/** Transforms coordinates (x and y alternate) to columns and rows, from the outer corner of the first cell. */
export function toPixels(xy: Float64Array, [x0, a, b, y0, c, d]: Affine): Float64Array {
  const determinant = a * d - b * c;
  const pixels = new Float64Array(xy.length);
  for (let at = 0; at < xy.length; at += 2) {
    const x = xy[at]! - x0;
    const y = xy[at + 1]! - y0;
    pixels[at] = (d * x - b * y) / determinant;
    pixels[at + 1] = (a * y - c * x) / determinant;
  }
  return pixels;
}
