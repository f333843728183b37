import type { Item, Samples } from '../../data/item.ts';
import type { Plane } from '../../tiles/raster/colour-planes.ts';

/** Some cells of a level. */
export interface CellWindow {
  readonly left: number;
  readonly width: number;
  readonly firstRow: number;
  readonly rowCount: number;
}

/** Samples as values: scaled, changed, NaN for no data. */
export function copyReal(
  samples: Samples,
  { first, count }: { first: number; count: number },
  { nodata, scale = 1, offset = 0 }: Item,
  change: Plane['change'],
  to: Float32Array,
): void {
  const empty = nodata !== undefined && samples instanceof Float32Array ? Math.fround(nodata) : nodata;
  for (let n = 0; n < count; n++) {
    const value = samples[first + n]!;
    if (value === empty || !Number.isFinite(value)) to[n] = Number.NaN;
    else to[n] = change === undefined ? value * scale + offset : change(value * scale + offset);
  }
}

/** Copies what a window has of a rectangle of cells. */
export function copyRows(
  from: Float32Array,
  { width, left, top }: { width: number; left: number; top: number },
  window: CellWindow,
  to: Float32Array,
): void {
  const height = from.length / width;
  const first = Math.max(left, window.left);
  const end = Math.min(left + width, window.left + window.width);
  const endRow = first < end ? Math.min(top + height, window.firstRow + window.rowCount) : 0;
  for (let row = Math.max(top, window.firstRow); row < endRow; row++) {
    const at = (row - top) * width - left;
    to.set(from.subarray(at + first, at + end), (row - window.firstRow) * window.width + first - window.left);
  }
}

/** The means of up to four cells that have data. */
export function halved(values: Float32Array, width: number, height: number): Float32Array {
  const [columns, rows] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const means = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const upper = 2 * row * width;
    const lower = 2 * row + 1 < height ? upper + width : -1;
    for (let column = 0; column < columns; column++) {
      const [left, right] = [2 * column, 2 * column + 1 < width ? 2 * column + 1 : -1];
      let [sum, count] = [0, 0];
      for (const line of [upper, lower]) {
        if (line < 0) continue;
        const one = values[line + left]!;
        if (!Number.isNaN(one)) {
          sum += one;
          count++;
        }
        const other = right < 0 ? Number.NaN : values[line + right]!;
        if (!Number.isNaN(other)) {
          sum += other;
          count++;
        }
      }
      means[row * columns + column] = count === 0 ? Number.NaN : sum / count;
    }
  }
  return means;
}
