import { placesOf } from './ring-tree.ts';

/** Vertices one after the other, x and y by turns: a ring of a polygon (it ends where it begins), a line, or a single point. */
export interface Chain {
  readonly xy: Float64Array;
  /** Number of the polygon that it bounds, from 0; -1 for a line or a point. */
  readonly polygon: number;
}

const perNode = 8;

/** The edges of chains in a tree of boxes around boxes. A point is an edge without length. */
export class EdgeTree {
  /** x and y of both ends of each edge, neighbours near each other. */
  readonly ends: Float64Array;
  /** Of each edge, the polygon of its chain. */
  readonly polygon: Int32Array;
  /** The edge is the first one of its chain. */
  readonly isFirst: Uint8Array;
  readonly polygons: number;
  /** West, south, east, north of edges, of eight of them each, and so on up to the box of all. */
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
    const places = placesOf(boxes);
    const order = Uint32Array.from({ length: count }, (_, n) => n).sort((a, b) => places[a]! - places[b]! || a - b);
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
    while (this.#levels.at(-1)!.length > 4) this.#levels.push(above(this.#levels.at(-1)!));
  }

  /** West, south, east, north of all. */
  get box(): readonly [number, number, number, number] {
    return [...this.#levels.at(-1)!] as unknown as readonly [number, number, number, number];
  }

  /** Whether `is` holds for an edge whose box meets the given one; asks no more after the first. */
  some(west: number, south: number, east: number, north: number, is: (edge: number) => boolean): boolean {
    const look = (depth: number, first: number, end: number): boolean => {
      const boxes = this.#levels[depth]!;
      for (let n = first; n < end; n++) {
        const at = 4 * n;
        if (!(boxes[at]! <= east && boxes[at + 1]! <= north && boxes[at + 2]! >= west && boxes[at + 3]! >= south))
          continue;
        if (depth === 0) {
          if (is(n)) return true;
        } else if (look(depth - 1, perNode * n, Math.min(perNode * (n + 1), this.#levels[depth - 1]!.length / 4)))
          return true;
      }
      return false;
    };
    return look(this.#levels.length - 1, 0, 1);
  }
}

function above(boxes: Float64Array): Float64Array {
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
