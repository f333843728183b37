import type { Grid, Slice } from '../../data/grid.ts';
import { kindOf } from '../crs/crs.ts';
import { type Averages, averagesOf } from './grid-averages.ts';
import { shadedRelief } from './hillshade.ts';
import { encodePng } from './png.ts';

/** Approximate length of a degree of latitude in metres. */
const metresPerDegree = 111_320;

/**
 * Draws a slice of a grid as shaded relief, at most `side` pixels wide and high, and returns a PNG. Larger grids are
 * averaged. North is up if the grid is not rotated. Memory holds the picture, not the grid.
 */
export async function gridPreviewPng(grid: Grid, slice: Slice, side = 1024): Promise<Uint8Array<ArrayBuffer>> {
  const averages = await averagesOf(grid, slice, side);
  return encodePng(averages.width, averages.height, reliefPixels(grid, averages));
}

/** RGBA of shaded relief, the northern row first if the grid is not rotated. */
export function reliefPixels(grid: Grid, { width, height, factor, values }: Averages): Uint8Array<ArrayBuffer> {
  const upright = values.slice();
  if (grid.affine[5] > 0) flipRows(upright, width);
  const [cellWidth, cellHeight] = cellSize(grid).map((size) => size * factor) as [number, number];
  return shadedRelief({ width, height, values: upright, cellWidth, cellHeight });
}

function cellSize({ affine, crs, height, located }: Grid): [number, number] {
  const [, a, b, top, d, e] = affine;
  const size: [number, number] = [Math.hypot(a, d), Math.hypot(b, e)];
  if (crs === undefined || located === false || !kindOf(crs).startsWith('geographic')) return size;
  const latitude = Math.min(85, Math.abs(top + (height * e) / 2));
  return [size[0] * metresPerDegree * Math.cos((latitude * Math.PI) / 180), size[1] * metresPerDegree];
}

function flipRows(values: Float64Array, width: number): void {
  for (let top = 0, bottom = values.length - width; top < bottom; top += width, bottom -= width) {
    const line = values.slice(top, top + width);
    values.copyWithin(top, bottom, bottom + width);
    values.set(line, bottom);
  }
}
