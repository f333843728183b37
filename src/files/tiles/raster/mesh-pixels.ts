import { HALF_WORLD, type Lattice } from '../matrices.ts';
import type { ValueRows } from './pyramid.ts';

/** Flat, convex elements: element e has the corners `corners[starts[e] … starts[e + 1])`. */
export interface Elements {
  readonly starts: ArrayLike<number>;
  readonly corners: ArrayLike<number>;
  /** Coordinates of each node, in the coordinate system of the lattices. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Values of elements, or of nodes; those change linearly over triangles. NaN is no data. */
export interface ElementValues {
  readonly at: 'node' | 'cell';
  readonly of: ArrayLike<number>;
}

const rowsAtOnce = 64;

/**
 * Values of a mesh at the centres of pixels, row by row.
 * @param mercator the lattice is in Web Mercator: elements beyond its sides appear on the other side
 */
export async function* meshRows(
  elements: Elements,
  values: ElementValues,
  lattice: Lattice,
  mercator: boolean,
): AsyncGenerator<ValueRows> {
  const { width, height } = lattice;
  const shifts = mercator ? [0, -2 * HALF_WORLD, 2 * HALF_WORLD] : [0];
  const bands = bandsOf(elements, lattice);
  for (let firstRow = 0, band = 0; firstRow < height; firstRow += rowsAtOnce, band++) {
    const rowCount = Math.min(rowsAtOnce, height - firstRow);
    const out = new Float64Array(rowCount * width).fill(Number.NaN);
    const rows = { lattice, firstRow, rowCount, out };
    for (const element of bands[band] ?? []) for (const shift of shifts) paint(rows, elements, element, values, shift);
    yield { firstRow, rowCount, values: out };
  }
}

/** The elements that touch each band of rows. */
function bandsOf({ starts, corners, y }: Elements, { top: corner, row, size, height }: Lattice): number[][] {
  const top = corner - row * size;
  const bands: number[][] = Array.from({ length: Math.ceil(height / rowsAtOnce) }, () => []);
  for (let element = 0; element + 1 < starts.length; element++) {
    let [low, high] = [Infinity, -Infinity];
    for (let n = starts[element]!; n < starts[element + 1]!; n++) {
      low = Math.min(low, y[corners[n]!]!);
      high = Math.max(high, y[corners[n]!]!);
    }
    const first = Math.max(0, Math.floor((top - high) / size / rowsAtOnce));
    const last = Math.min(bands.length - 1, Math.floor((top - low) / size / rowsAtOnce));
    for (let band = first; band <= last; band++) bands[band]!.push(element);
  }
  return bands;
}

/** Rows of a lattice that are drawn at once. */
interface PixelRows {
  readonly lattice: Lattice;
  readonly firstRow: number;
  readonly rowCount: number;
  readonly out: Float64Array;
}

function paint(rows: PixelRows, elements: Elements, element: number, values: ElementValues, shift: number): void {
  const { starts, corners } = elements;
  const [first, end] = [starts[element]!, starts[element + 1]!];
  if (values.at === 'cell') {
    const value = values.of[element]!;
    if (!Number.isNaN(value))
      fill(
        rows,
        elements,
        shift,
        (n) => corners[first + n]!,
        end - first,
        () => value,
      );
    return;
  }
  for (let n = first + 1; n + 1 < end; n++) {
    const triangle = [corners[first]!, corners[n]!, corners[n + 1]!] as const;
    const plane = planeOf(elements, triangle, values.of);
    if (plane !== undefined) fill(rows, elements, shift, (k) => triangle[k]!, 3, plane);
  }
}

/**
 * The linear function through the values at the corners of a triangle. Undefined if one has no value, or there is no
 * area.
 */
function planeOf(
  { x, y }: Elements,
  [a, b, c]: readonly [number, number, number],
  of: ArrayLike<number>,
): ((x: number, y: number) => number) | undefined {
  const [bx, by] = [x[b]! - x[a]!, y[b]! - y[a]!];
  const [cx, cy] = [x[c]! - x[a]!, y[c]! - y[a]!];
  const double = bx * cy - cx * by;
  const [vb, vc] = [of[b]! - of[a]!, of[c]! - of[a]!];
  if (double === 0 || Number.isNaN(vb + vc)) return undefined;
  const [east, north] = [(vb * cy - vc * by) / double, (vc * bx - vb * cx) / double];
  const [x0, y0, v0] = [x[a]!, y[a]!, of[a]!];
  return (px, py) => v0 + (px - x0) * east + (py - y0) * north;
}

/**
 * Sets the pixels whose centre lies in a convex polygon. Of two polygons with a common side one has the centres on it.
 */
function fill(
  { lattice, firstRow, rowCount, out }: PixelRows,
  { x, y }: Elements,
  shift: number,
  corner: (n: number) => number,
  count: number,
  value: (x: number, y: number) => number,
): void {
  const { left, top, size, width } = lattice;
  const [leftColumn, topRow] = [lattice.column, lattice.row + firstRow];
  let [low, high, west, east] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let n = 0; n < count; n++) {
    const node = corner(n);
    low = Math.min(low, y[node]!);
    high = Math.max(high, y[node]!);
    west = Math.min(west, x[node]! + shift);
    east = Math.max(east, x[node]! + shift);
  }
  if (!(west <= left + (leftColumn + width) * size && east >= left + leftColumn * size)) return;
  const begin = Math.max(topRow, Math.ceil((top - high) / size - 0.5));
  const end = Math.min(topRow + rowCount - 1, Math.floor((top - low) / size - 0.5));
  for (let row = begin; row <= end; row++) {
    const level = top - (row + 0.5) * size;
    let [from, to] = [Infinity, -Infinity];
    for (let n = 0; n < count; n++) {
      const [a, b] = [corner(n), corner(n + 1 === count ? 0 : n + 1)];
      if (y[a]! <= level === y[b]! <= level) continue;
      const crossing = x[a]! + shift + ((level - y[a]!) / (y[b]! - y[a]!)) * (x[b]! - x[a]!);
      from = Math.min(from, crossing);
      to = Math.max(to, crossing);
    }
    const firstColumn = Math.max(leftColumn, Math.ceil((from - left) / size - 0.5));
    const endColumn = Math.min(leftColumn + width, Math.ceil((to - left) / size - 0.5));
    const line = (row - topRow) * width - leftColumn;
    for (let column = firstColumn; column < endColumn; column++)
      out[line + column] = value(left + (column + 0.5) * size - shift, level);
  }
}
