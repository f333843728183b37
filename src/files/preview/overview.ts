import type { Band, Grid, RowBlock } from '../data/grid.ts';
import { realValues } from '../data/real-values.ts';
import { MOST_CELLS } from './raster/grid-levels.ts';

/**
 * The same grid with at most so many cells a slice: each is the mean of the square of cells in it that have data; of a
 * palette the cell in its middle. Undefined for a grid that has no more.
 */
export function overviewOf(grid: Grid, mostCells = MOST_CELLS): Grid | undefined {
  let factor = 1;
  const side = (length: number) => Math.ceil(length / factor);
  while (side(grid.width) * side(grid.height) > mostCells) factor *= 2;
  if (factor === 1) return undefined;
  const [x, a, b, y, c, d] = grid.affine;
  const { read: _read, ...kept } = grid;
  return {
    ...kept,
    width: side(grid.width),
    height: side(grid.height),
    affine: [x, a * factor, b * factor, y, c * factor, d * factor],
    bands: grid.bands.map(meanBand),
    rows: (slice) => coarseRows(grid, slice, factor),
  };
}

function meanBand(band: Band): Band {
  const { scale: _scale, offset: _offset, integer64: _integer64, exactNodata: _exactNodata, ...kept } = band;
  return { ...kept, type: 'Float32', nodata: Number.NaN };
}

async function* coarseRows(grid: Grid, slice: Parameters<Grid['rows']>[0], factor: number): AsyncGenerator<RowBlock> {
  const { width, height } = grid;
  const band = grid.bands[slice.band]!;
  const isPalette = band.role === 'palette';
  const [first, apart] = isPalette ? [Math.min(factor >> 1, width - 1), factor] : [0, 1];
  const columns = Math.ceil(width / factor);
  const sums = new Float64Array(columns);
  const counts = new Uint32Array(columns);
  for await (const { firstRow, rowCount, samples, exact } of grid.rows(slice)) {
    const values = realValues(exact ?? samples, band);
    for (let row = firstRow; row < firstRow + rowCount; row++) {
      const line = (row - firstRow) * width;
      const middle = Math.floor(row / factor) * factor + (factor >> 1);
      if (!isPalette || row === Math.min(middle, height - 1))
        for (let column = first; column < width; column += apart) {
          const value = values[line + column]!;
          if (Number.isNaN(value)) continue;
          const cell = Math.floor(column / factor);
          sums[cell]! += value;
          counts[cell]!++;
        }
      if ((row + 1) % factor !== 0 && row + 1 < height) continue;
      const means = Float32Array.from(sums, (sum, cell) => (counts[cell] === 0 ? Number.NaN : sum / counts[cell]!));
      yield { firstRow: Math.floor(row / factor), rowCount: 1, samples: means };
      sums.fill(0);
      counts.fill(0);
    }
  }
}
