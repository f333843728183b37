import type { Crs } from '../../data/crs-reference.ts';
import { sridOf, wgs84 } from '../crs/crs.ts';
import { transformer } from '../crs/transform.ts';
import type { GridGeometry } from '../warp/image-transformer.ts';

/** Points per side: a side that is straight in one coordinate system is a curve in another. */
const perSide = 16;

/** Points along the four sides of a grid, in its coordinate system, from its outer corner at row 0, column 0; the first is not repeated. */
export interface Outline {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export function outlineOf({ width, height, affine: [x0, a, b, y0, c, d] }: GridGeometry, points = perSide): Outline {
  const corners = [
    [0, 0],
    [0, height],
    [width, height],
    [width, 0],
  ] as const;
  const x = new Float64Array(4 * points);
  const y = new Float64Array(4 * points);
  for (let i = 0; i < 4 * points; i++) {
    const side = Math.floor(i / points);
    const [[column0, row0], [column1, row1]] = [corners[side]!, corners[(side + 1) % 4]!];
    const share = (i % points) / points;
    const column = column0 + (column1 - column0) * share;
    const row = row0 + (row1 - row0) * share;
    x[i] = x0 + column * a + row * b;
    y[i] = y0 + column * c + row * d;
  }
  return { x, y };
}

/** A box as a grid of one cell. */
export const boxGeometry = (west: number, south: number, east: number, north: number): GridGeometry => ({
  width: 1,
  height: 1,
  affine: [west, east - west, 0, north, 0, south - north],
});

/** Outline of a grid as WKT polygon in WGS 84, longitude before latitude, 7 decimals; undefined when a part of it has no place there. */
export async function outlineWkt(grid: GridGeometry, crs: Crs): Promise<string | undefined> {
  // In WGS 84 the corners are enough, and PROJ need not be loaded.
  if (sridOf(crs) === 'EPSG:4326') {
    const { x, y } = outlineOf(grid, 1);
    return x.every(Number.isFinite) && y.every(Number.isFinite) ? polygonWkt({ x, y }) : undefined;
  }
  const { x, y } = outlineOf(grid);
  using transform = await transformer(crs, wgs84);
  return transform.forward(x, y) > 0 ? undefined : polygonWkt({ x, y });
}

function polygonWkt({ x, y }: Outline): string {
  const points = Array.from(x, (value, i) => `${Number(value.toFixed(7))} ${Number(y[i]!.toFixed(7))}`);
  return `POLYGON ((${[...points, points[0]].join(', ')}))`;
}
