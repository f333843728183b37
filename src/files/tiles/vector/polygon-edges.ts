import { BUFFER, EXTENT } from './units.ts';

/** Up to this number, all pairs of edges are compared, which is faster than sorting. */
const FEW = 64;
/** Units of a column of `EdgeColumns`. */
const COLUMN_BITS = 5;
const COLUMNS = ((EXTENT + 2 * BUFFER) >> COLUMN_BITS) + 1;

/** Polygons in whole units of a tile. */
export interface TileRings {
  /** x and y of the points of all rings, without closing points. */
  readonly points: Int32Array;
  /** For each ring, the index after its last point. */
  readonly ends: readonly number[];
  /** Whether each ring is an exterior one, which turns clockwise on the screen; its holes follow. */
  readonly exterior: readonly boolean[];
}

/** Directed edges in whole units of a tile. */
export interface Edges {
  readonly count: number;
  readonly x0: Int32Array;
  readonly y0: Int32Array;
  readonly x1: Int32Array;
  readonly y1: Int32Array;
}

/** Edges of rings. The memory is used again and again. */
export class RingEdges implements Edges {
  count = 0;
  x0 = new Int32Array(1 << 7);
  y0 = new Int32Array(1 << 7);
  x1 = new Int32Array(1 << 7);
  y1 = new Int32Array(1 << 7);
  /** The ring of each edge. */
  ring = new Int32Array(1 << 7);

  set({ points, ends }: TileRings): void {
    this.count = ends.at(-1) ?? 0;
    if (this.x0.length < this.count)
      for (const name of ['x0', 'y0', 'x1', 'y1', 'ring'] as const) this[name] = new Int32Array(2 * this.count);
    for (let ring = 0, n = 0; ring < ends.length; ring++) {
      const [first, end] = [n, ends[ring]!];
      for (; n < end; n++) {
        const next = n + 1 < end ? n + 1 : first;
        this.x0[n] = points[2 * n]!;
        this.y0[n] = points[2 * n + 1]!;
        this.x1[n] = points[2 * next]!;
        this.y1[n] = points[2 * next + 1]!;
        this.ring[n] = ring;
      }
    }
  }
}

/** Positive where c lies to the left of the way from a to b, with y upwards. Exact: the numbers are small and whole. */
export const orientation = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number =>
  (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

/** Memory of a sweep, used again and again. */
let sweep = { order: new Float64Array(1 << 10), active: new Int32Array(1 << 10) };

/** Visits pairs of edges whose boxes touch, the first one with the lower number, until a visit returns true. */
export function visitNearPairs(edges: Edges, visit: (one: number, other: number) => boolean): boolean {
  const { count, x0, y0, x1, y1 } = edges;
  if (count <= FEW) {
    for (let i = 0; i < count; i++) {
      const west = Math.min(x0[i]!, x1[i]!);
      const east = Math.max(x0[i]!, x1[i]!);
      const low = Math.min(y0[i]!, y1[i]!);
      const high = Math.max(y0[i]!, y1[i]!);
      for (let j = i + 1; j < count; j++) {
        if (x0[j]! < west && x1[j]! < west) continue;
        if (x0[j]! > east && x1[j]! > east) continue;
        if (y0[j]! < low && y1[j]! < low) continue;
        if (y0[j]! > high && y1[j]! > high) continue;
        if (visit(i, j)) return true;
      }
    }
    return false;
  }
  // A sweep from west to east: the active edges are those that the line of the sweep crosses.
  if (sweep.active.length < count) sweep = { order: new Float64Array(2 * count), active: new Int32Array(2 * count) };
  const { active } = sweep;
  const order = sweep.order.subarray(0, count);
  const most = 2 ** Math.ceil(Math.log2(count));
  for (let i = 0; i < count; i++) order[i] = Math.min(x0[i]!, x1[i]!) * most + i;
  order.sort();
  let size = 0;
  for (let k = 0; k < count; k++) {
    const key = order[k]!;
    const west = Math.floor(key / most);
    const i = key - west * most;
    const low = Math.min(y0[i]!, y1[i]!);
    const high = Math.max(y0[i]!, y1[i]!);
    for (let n = 0; n < size; n++) {
      const j = active[n]!;
      if (x0[j]! < west && x1[j]! < west) {
        active[n--] = active[--size]!;
        continue;
      }
      if (y0[j]! < low && y1[j]! < low) continue;
      if (y0[j]! > high && y1[j]! > high) continue;
      if (i < j ? visit(i, j) : visit(j, i)) return true;
    }
    active[size++] = i;
  }
  return false;
}

/** Finds the edges below a point without a look at all of them. */
export class EdgeColumns {
  readonly #edges: Edges;
  /** Where the edges of each column begin in the list. */
  readonly #starts = new Int32Array(COLUMNS + 1);
  readonly #list: Int32Array;

  constructor(edges: Edges) {
    this.#edges = edges;
    const { count, x0, x1 } = edges;
    const ends = new Int32Array(COLUMNS + 1);
    const first = (i: number) => columnOf(Math.min(x0[i]!, x1[i]!));
    const last = (i: number) => columnOf(Math.max(x0[i]!, x1[i]!) - 1);
    for (let i = 0; i < count; i++) {
      if (x0[i] === x1[i]) continue;
      for (let column = first(i); column <= last(i); column++) ends[column + 1]!++;
    }
    for (let column = 0; column < COLUMNS; column++) ends[column + 1]! += ends[column]!;
    this.#starts.set(ends);
    this.#list = new Int32Array(ends[COLUMNS]!);
    for (let i = 0; i < count; i++) {
      if (x0[i] === x1[i]) continue;
      for (let column = first(i); column <= last(i); column++) this.#list[ends[column]!++] = i;
    }
  }

  /**
   * Visits the edges below a point (of less y), those that reach just east of it. `sign`: 1 from west to east, else −1;
   * their sum is the winding number of the point, or of a point just east of it if it lies on a vertical edge.
   * @param x twice the coordinate, as `y`, so that it can be the middle of an edge
   */
  visitBelow(x: number, y: number, visit: (edge: number, sign: number) => void): void {
    const { x0, y0, x1, y1 } = this.#edges;
    const column = columnOf(x >> 1);
    for (let n = this.#starts[column]!; n < this.#starts[column + 1]!; n++) {
      const i = this.#list[n]!;
      const [ax, ay, bx, by] = [2 * x0[i]!, 2 * y0[i]!, 2 * x1[i]!, 2 * y1[i]!];
      if (ax < bx) {
        if (ax <= x && x < bx && orientation(ax, ay, bx, by, x, y) > 0) visit(i, 1);
      } else if (bx <= x && x < ax && orientation(bx, by, ax, ay, x, y) > 0) visit(i, -1);
    }
  }
}

const columnOf = (x: number): number => Math.max(0, Math.min(COLUMNS - 1, (x + BUFFER) >> COLUMN_BITS));
