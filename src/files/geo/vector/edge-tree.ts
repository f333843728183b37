import { mortonCodes } from './ring-tree.ts';

/** A polygonal chain: a closed ring of a polygon, a line, or a single point. `xy` alternates x and y. */
export interface Chain {
  readonly xy: Float64Array;
  /** Number of the polygon to which the ring belongs, from 0; -1 for a line or a point. */
  readonly polygon: number;
}

const perNode = 8;

/** A packed R-tree of the edges of chains, in Morton order. A point is an edge of length 0. */
export class EdgeTree {
  /** x and y of both ends of each edge, in Morton order. */
  readonly ends: Float64Array;
  /** Polygon of each edge. */
  readonly polygon: Int32Array;
  /** 1 for the first edge of each chain. */
  readonly isFirst: Uint8Array;
  readonly polygons: number;
  /** Bounding boxes (west, south, east, north): of edges, of nodes with eight edges each, and so on up to the root. */
  readonly #levels: Float64Array[];

  constructor(chains: readonly Chain[]) {
    const count = chains.reduce((sum, { xy }) => sum + Math.max(1, xy.length / 2 - 1), 0);
    const boxes = new Float64Array(4 * count);
    const ends = new Float64Array(4 * count);
    const polygon = new Int32Array(count);
    const isFirst = new Uint8Array(count);
    let at = 0;
    for (const chain of chains) {
      const { xy } = chain;
      isFirst[at] = 1;
      for (let i = 0; i === 0 || i + 3 < xy.length; i += 2, at++) {
        const j = Math.min(i + 2, xy.length - 2);
        const [ax, ay, bx, by] = [xy[i]!, xy[i + 1]!, xy[j]!, xy[j + 1]!];
        ends.set([ax, ay, bx, by], 4 * at);
        boxes.set([Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)], 4 * at);
        polygon[at] = chain.polygon;
      }
    }
    const codes = mortonCodes(boxes);
    const order = Uint32Array.from({ length: count }, (_, n) => n).sort((a, b) => codes[a]! - codes[b]! || a - b);
    const inOrder = (from: Float64Array) => {
      const to = new Float64Array(from.length);
      for (let n = 0; n < count; n++) for (let k = 0; k < 4; k++) to[4 * n + k] = from[4 * order[n]! + k]!;
      return to;
    };
    this.ends = inOrder(ends);
    this.polygon = Int32Array.from(order, (n) => polygon[n]!);
    this.isFirst = Uint8Array.from(order, (n) => isFirst[n]!);
    this.polygons = chains.reduce((most, one) => Math.max(most, one.polygon + 1), 0);
    this.#levels = [inOrder(boxes)];
    while (this.#levels.at(-1)!.length > 4) this.#levels.push(parentLevel(this.#levels.at(-1)!));
  }

  /** Bounding box of all edges. */
  get box(): readonly [number, number, number, number] {
    return [...this.#levels.at(-1)!] as unknown as readonly [number, number, number, number];
  }

  /** Whether `test` holds for any edge whose bounding box intersects the given box. Stops at the first such edge. */
  some(west: number, south: number, east: number, north: number, test: (edge: number) => boolean): boolean {
    const visit = (depth: number, first: number, end: number): boolean => {
      const boxes = this.#levels[depth]!;
      for (let n = first; n < end; n++) {
        const at = 4 * n;
        if (!(boxes[at]! <= east && boxes[at + 1]! <= north && boxes[at + 2]! >= west && boxes[at + 3]! >= south))
          continue;
        if (depth === 0) {
          if (test(n)) return true;
        } else if (visit(depth - 1, perNode * n, Math.min(perNode * (n + 1), this.#levels[depth - 1]!.length / 4)))
          return true;
      }
      return false;
    };
    return visit(this.#levels.length - 1, 0, 1);
  }
}

function parentLevel(boxes: Float64Array): Float64Array {
  const count = Math.ceil(boxes.length / 4 / perNode);
  const around = new Float64Array(4 * count);
  for (let node = 0; node < count; node++) {
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 4 * perNode * node; at < Math.min(4 * perNode * (node + 1), boxes.length); at += 4) {
      west = Math.min(west, boxes[at]!);
      south = Math.min(south, boxes[at + 1]!);
      east = Math.max(east, boxes[at + 2]!);
      north = Math.max(north, boxes[at + 3]!);
    }
    around.set([west, south, east, north], 4 * node);
  }
  return around;
}
