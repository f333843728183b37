import type { Affine } from '../../data/grid.ts';

/** Position in the source, in its columns and rows, of column c and row r of the target (corner based). */
export interface PixelMap {
  /** x = x[0] + c · x[1] + r · x[2] */
  readonly x: readonly [number, number, number];
  readonly y: readonly [number, number, number];
  /** Columns lead to columns, and rows to rows. */
  readonly aligned: boolean;
}

interface Cells {
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
}

/** Largest turn of a whole row or column that does not count, in cells. */
const TURN = 1e-6;
/** Positions that are this close to a whole cell are there: products of cell sizes have rounding errors. */
const CLOSE = 1e-9;

export function pixelMap(source: Cells, target: Cells): PixelMap {
  const [x0, a, b, y0, c, d] = source.affine;
  const [tx, ta, tb, ty, tc, td] = target.affine;
  const determinant = a * d - b * c;
  const column = (x: number, y: number) => (d * x - b * y) / determinant;
  const row = (x: number, y: number) => (a * y - c * x) / determinant;
  const x = [column(tx - x0, ty - y0), column(ta, tc), column(tb, td)] as const;
  const y = [row(tx - x0, ty - y0), row(ta, tc), row(tb, td)] as const;
  const aligned = Math.abs(x[2]) * target.height < TURN && Math.abs(y[1]) * target.width < TURN;
  if (!aligned) return { x, y, aligned };
  return {
    x: [near(x[0]), x[1], 0],
    y: [near(y[0]), 0, y[2]],
    aligned,
  };
}

/** Whether all cells of the target lie within the source. */
export function covers(source: Cells, target: Cells): boolean {
  const { x, y } = pixelMap(source, target);
  const inside = ([origin, column, row]: PixelMap['x'], size: number) =>
    [0, target.width].every((c) =>
      [0, target.height].every((r) => {
        const at = origin + c * column + r * row;
        return at >= -CLOSE && at <= size + CLOSE;
      }),
    );
  return inside(x, source.width) && inside(y, source.height);
}

const near = (value: number): number => (Math.abs(value - Math.round(value)) < CLOSE ? Math.round(value) : value);

/**
 * Target cells per source cell along an axis, as GDAL counts them: a target that covers the source has all cells of the
 * source. A ratio close to 1/2, 1/3 … is rounded to it.
 * @param axis `x` or `y` of a map
 * @param count target cells along the axis
 * @param size source cells along the axis
 */
export function scaleOf([origin, column, row]: PixelMap['x'], count: number, size: number): number {
  const each = Math.hypot(column, row);
  const [low, high] = [origin, origin + count * (column + row)].toSorted((a, b) => a - b) as [number, number];
  const covers = (column === 0 || row === 0) && low <= CLOSE && high >= size - CLOSE;
  const step = covers ? size / count : each;
  const whole = Math.round(step);
  return step > 1 && Math.abs(step - whole) < 0.05 ? 1 / whole : 1 / step;
}
