import type { Grid, Slice } from '../../data/grid.ts';
import { kindOf } from '../crs/crs.ts';
import { shadedRelief } from './hillshade.ts';
import { encodePng } from './png.ts';

/** Approximate length of a degree of latitude in metres. */
const metresPerDegree = 111_320;

/**
 * Draws a slice of a grid as shaded relief, at most `side` pixels wide and high, and returns a PNG. Larger grids are averaged. North is
 * up if the grid is not rotated. Memory holds the picture, not the grid.
 */
export async function gridPreviewPng(grid: Grid, slice: Slice, side = 1024): Promise<Uint8Array<ArrayBuffer>> {
  const factor = Math.max(1, Math.ceil(Math.max(grid.width, grid.height) / side));
  const width = Math.ceil(grid.width / factor);
  const height = Math.ceil(grid.height / factor);
  const sums = new Float64Array(width * height);
  const counts = new Uint32Array(width * height);
  const { nodata } = grid.bands[slice.band]!;
  for await (const { firstRow, rowCount, samples } of grid.rows(slice)) {
    const empty = nodata !== undefined && samples instanceof Float32Array ? Math.fround(nodata) : nodata;
    for (let row = 0; row < rowCount; row++) {
      const line = Math.floor((firstRow + row) / factor) * width;
      for (let column = 0; column < grid.width; column++) {
        const value = samples[row * grid.width + column]!;
        if (!Number.isFinite(value) || value === empty) continue;
        const cell = line + Math.floor(column / factor);
        sums[cell]! += value;
        counts[cell]! += 1;
      }
    }
  }
  const values = sums.map((sum, i) => (counts[i] === 0 ? Number.NaN : sum / counts[i]!));
  if (grid.affine[5] > 0) flipRows(values, width);
  const [cellWidth, cellHeight] = cellSize(grid).map((size) => size * factor) as [number, number];
  return encodePng(width, height, shadedRelief({ width, height, values, cellWidth, cellHeight }));
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
