import { type Edges, orientation, visitNearPairs } from './polygon-edges.ts';
import { BUFFER, EXTENT } from './units.ts';

/** Polygons whose edges cross more often are drawn in pixels: there would be more points than a tile can hold. */
const MOST_CROSSINGS = 100_000;
/** Rounded crossings move edges by less than a unit, which can make new ones. */
const MOST_PASSES = 50;
/** Units of a pixel of a polygon that is drawn in pixels. */
const PIXEL = EXTENT / 256;
const SIDE = Math.ceil((EXTENT + 2 * BUFFER) / PIXEL);

/**
 * Contains each edge once, from west to east, or from less to more y, with how often rings run that way minus the other
 * way.
 */
export interface NodedEdges extends Edges {
  readonly outer: Int32Array;
  /** The same count for the holes. */
  readonly inner: Int32Array;
}

/** Gathers edges: those that lie on each other become one, and those that cancel out none. */
export class EdgeSum {
  readonly #sums = new Map<number, { outer: number; inner: number }>();

  add(ax: number, ay: number, bx: number, by: number, outer: number, inner: number): void {
    const [a, b] = [packed(ax, ay), packed(bx, by)];
    if (a === b) return;
    const key = a < b ? a * POINTS + b : b * POINTS + a;
    const sign = a < b ? 1 : -1;
    const sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, { outer: sign * outer, inner: sign * inner });
    else {
      sum.outer += sign * outer;
      sum.inner += sign * inner;
    }
  }

  edges(): NodedEdges {
    const most = this.#sums.size;
    const [x0, y0, x1, y1] = [new Int32Array(most), new Int32Array(most), new Int32Array(most), new Int32Array(most)];
    const [outer, inner] = [new Int32Array(most), new Int32Array(most)];
    let count = 0;
    for (const [key, sum] of this.#sums) {
      if (sum.outer === 0 && sum.inner === 0) continue;
      const from = Math.floor(key / POINTS);
      const to = key - from * POINTS;
      [x0[count], y0[count], x1[count], y1[count]] = [xOf(from), yOf(from), xOf(to), yOf(to)];
      outer[count] = sum.outer;
      inner[count++] = sum.inner;
    }
    return { count, x0, y0, x1, y1, outer, inner };
  }
}

/** Number of a point, in the order of x and y. */
const packed = (x: number, y: number): number => (x + BUFFER) * COLUMN + y + BUFFER;
const COLUMN = 1 << 13;
const POINTS = COLUMN * COLUMN;
const xOf = (point: number): number => (point >> 13) - BUFFER;
const yOf = (point: number): number => (point & (COLUMN - 1)) - BUFFER;

/**
 * Splits edges where they meet, at points in whole units, until they meet only at their ends. Undefined if they cross
 * too often. (Iterated rounding of crossings, as in the snap rounding of Hobby 1999.)
 */
export function noded(edges: NodedEdges): NodedEdges | undefined {
  let current = edges;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const splits = crossingsOf(current);
    if (splits === undefined) return undefined;
    if (splits.size === 0) return current;
    const { count, x0, y0, x1, y1, outer, inner } = current;
    const sum = new EdgeSum();
    for (let i = 0; i < count; i++) {
      let [x, y] = [x0[i]!, y0[i]!];
      for (const point of alongEdge(current, i, splits.get(i) ?? [])) {
        sum.add(x, y, xOf(point), yOf(point), outer[i]!, inner[i]!);
        [x, y] = [xOf(point), yOf(point)];
      }
      sum.add(x, y, x1[i]!, y1[i]!, outer[i]!, inner[i]!);
    }
    current = sum.edges();
  }
  return undefined;
}

const alongEdge = ({ x0, y0, x1, y1 }: Edges, i: number, points: readonly number[]): readonly number[] => {
  const [dx, dy] = [x1[i]! - x0[i]!, y1[i]! - y0[i]!];
  const along = (point: number) => (xOf(point) - x0[i]!) * dx + (yOf(point) - y0[i]!) * dy;
  return points.toSorted((one, other) => along(one) - along(other));
};

/** Interior intersection points of each edge with other edges. */
function crossingsOf(edges: Edges): Map<number, number[]> | undefined {
  const { x0, y0, x1, y1 } = edges;
  const splits = new Map<number, number[]>();
  let found = 0;
  const split = (i: number, x: number, y: number) => {
    if ((x === x0[i] && y === y0[i]) || (x === x1[i] && y === y1[i])) return;
    const point = packed(x, y);
    const points = splits.get(i);
    if (points === undefined) splits.set(i, [point]);
    else if (points.includes(point)) return;
    else points.push(point);
    found++;
  };
  const tooMany = visitNearPairs(edges, (i, j) => {
    const [ax, ay, bx, by] = [x0[i]!, y0[i]!, x1[i]!, y1[i]!];
    const [cx, cy, dx, dy] = [x0[j]!, y0[j]!, x1[j]!, y1[j]!];
    const c = orientation(ax, ay, bx, by, cx, cy);
    const d = orientation(ax, ay, bx, by, dx, dy);
    if ((c > 0 && d > 0) || (c < 0 && d < 0)) return false;
    const a = orientation(cx, cy, dx, dy, ax, ay);
    const b = orientation(cx, cy, dx, dy, bx, by);
    if ((a > 0 && b > 0) || (a < 0 && b < 0)) return false;
    if (a !== 0 && b !== 0 && c !== 0 && d !== 0) {
      const share = a / (a - b);
      const x = Math.round(ax + share * (bx - ax));
      const y = Math.round(ay + share * (by - ay));
      split(i, x, y);
      split(j, x, y);
    }
    if (c === 0 && isBetween(ax, ay, bx, by, cx, cy)) split(i, cx, cy);
    if (d === 0 && isBetween(ax, ay, bx, by, dx, dy)) split(i, dx, dy);
    if (a === 0 && isBetween(cx, cy, dx, dy, ax, ay)) split(j, ax, ay);
    if (b === 0 && isBetween(cx, cy, dx, dy, bx, by)) split(j, bx, by);
    return found > MOST_CROSSINGS;
  });
  return tooMany ? undefined : splits;
}

/** Whether a point on the line through a and b lies between them. */
const isBetween = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by);

/** The outlines of the pixels whose middle lies inside, as edges of exterior rings that meet only at their ends. */
export function pixelEdges(edges: NodedEdges, isInside: (outer: number, inner: number) => boolean): NodedEdges {
  const sum = new EdgeSum();
  let above = new Uint8Array(SIDE);
  for (let row = 0; row <= SIDE; row++) {
    const pixels = row < SIDE ? pixelsOfRow(edges, row, isInside) : new Uint8Array(SIDE);
    const y = row * PIXEL - BUFFER;
    for (let column = 0; column <= SIDE; column++) {
      const x = column * PIXEL - BUFFER;
      const is = pixels[column] ?? 0;
      // With the inside to the left, y upwards.
      if (is !== (above[column] ?? 0)) sum.add(x, y, x + PIXEL, y, is === 1 ? 1 : -1, 0);
      const before = column > 0 ? pixels[column - 1]! : 0;
      if (is !== before) sum.add(x, y, x, y + PIXEL, is === 1 ? -1 : 1, 0);
    }
    above = pixels;
  }
  return sum.edges();
}

function pixelsOfRow(
  { count, x0, y0, x1, y1, outer, inner }: NodedEdges,
  row: number,
  isInside: (outer: number, inner: number) => boolean,
): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(SIDE);
  const y = (row + 0.5) * PIXEL - BUFFER;
  const crossings: { x: number; edge: number; sign: number }[] = [];
  for (let i = 0; i < count; i++) {
    const isUp = y0[i]! <= y && y1[i]! > y;
    if (!isUp && !(y1[i]! <= y && y0[i]! > y)) continue;
    const share = (y - y0[i]!) / (y1[i]! - y0[i]!);
    // An edge upwards has the inside to its left.
    crossings.push({ x: x0[i]! + share * (x1[i]! - x0[i]!), edge: i, sign: isUp ? -1 : 1 });
  }
  crossings.sort((one, other) => one.x - other.x);
  let [outers, inners, next] = [0, 0, 0];
  for (let column = 0; column < SIDE; column++) {
    for (; next < crossings.length && crossings[next]!.x <= (column + 0.5) * PIXEL - BUFFER; next++) {
      const { edge, sign } = crossings[next]!;
      outers += sign * outer[edge]!;
      inners += sign * inner[edge]!;
    }
    if (isInside(outers, inners)) pixels[column] = 1;
  }
  return pixels;
}
