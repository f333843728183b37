import type { Triangles } from '../contour/mesh-triangles.ts';
import type { LinePoints } from './points-along.ts';
import { type ProfileMethod, WeightList, type Weights } from './weights.ts';

/** Weights of values at nodes and of values of cells. */
export interface MeshWeights {
  readonly ofNodes: Weights;
  readonly ofCells: Weights;
}

/**
 * Weights of the triangle that holds each point: linear between its nodes, or of the nearest of them; and of its cell.
 * @param cells numbers of the cells of the triangles, as in `triangles.cells`, among the values
 */
export function meshWeights(
  nodes: Float64Array,
  { corners, cells: cellOf }: Triangles,
  cells: Uint32Array,
  points: LinePoints,
  method: ProfileMethod,
): MeshWeights {
  const count = points.x.length;
  const [ofNodes, ofCells] = [new WeightList(count), new WeightList(count)];
  const near = new PointBuckets(points);
  for (let first = 0; first < corners.length; first += 3) {
    const three = [corners[first]!, corners[first + 1]!, corners[first + 2]!];
    const [ax, bx, cx] = three.map((node) => nodes[3 * node]!) as [number, number, number];
    const [ay, by, cy] = three.map((node) => nodes[3 * node + 1]!) as [number, number, number];
    const double = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    near.visit(Math.min(ax, bx, cx), Math.min(ay, by, cy), Math.max(ax, bx, cx), Math.max(ay, by, cy), (n) => {
      if (ofCells.has(n)) return;
      const [x, y] = [points.x[n]! - ax, points.y[n]! - ay];
      const b = (x * (cy - ay) - (cx - ax) * y) / double;
      const c = ((bx - ax) * y - x * (by - ay)) / double;
      const shares = [1 - b - c, b, c];
      if (!shares.every((share) => share >= -rounding)) return;
      ofCells.add(cells[cellOf[first / 3]!]!, n, 1);
      if (method === 'bilinear')
        for (const [k, share] of shares.entries()) ofNodes.add(three[k]!, n, Math.max(0, share));
      else {
        const distances = [
          Math.hypot(x, y),
          Math.hypot(x - bx + ax, y - by + ay),
          Math.hypot(x - cx + ax, y - cy + ay),
        ];
        ofNodes.add(three[distances.indexOf(Math.min(...distances))]!, n, 1);
      }
    });
  }
  return { ofNodes: ofNodes.sorted(), ofCells: ofCells.sorted() };
}

/** A point on the side of a triangle belongs to it, whatever rounding makes of it. */
const rounding = 1e-12;
const pointsPerBucket = 4;

/** Points by squares of their bounding box. */
class PointBuckets {
  readonly #buckets = new Map<number, number[]>();
  readonly #points: LinePoints;
  readonly #west: number;
  readonly #south: number;
  readonly #side: number;
  readonly #columns: number;
  readonly #rows: number;

  constructor(points: LinePoints) {
    const { x, y } = points;
    this.#points = points;
    const extent = (all: Float64Array) => {
      let [least, most] = [Infinity, -Infinity];
      for (const value of all) [least, most] = [Math.min(least, value), Math.max(most, value)];
      return [least, most] as const;
    };
    const [west, east] = extent(x);
    const [south, north] = extent(y);
    [this.#west, this.#south] = [west, south];
    this.#side = (pointsPerBucket * (east - west + north - south)) / x.length || 1;
    this.#columns = Math.floor((east - west) / this.#side);
    this.#rows = Math.floor((north - south) / this.#side);
    for (let n = 0; n < x.length; n++) {
      const key = this.#column(x[n]!) + this.#row(y[n]!) * (this.#columns + 1);
      const bucket = this.#buckets.get(key);
      if (bucket === undefined) this.#buckets.set(key, [n]);
      else bucket.push(n);
    }
  }

  #column = (x: number): number => Math.min(this.#columns, Math.max(0, Math.floor((x - this.#west) / this.#side)));
  #row = (y: number): number => Math.min(this.#rows, Math.max(0, Math.floor((y - this.#south) / this.#side)));

  /** The points in a box. */
  visit(west: number, south: number, east: number, north: number, visit: (point: number) => void): void {
    const { x, y } = this.#points;
    const width = this.#columns + 1;
    const inBucket = (bucket: readonly number[]) => {
      for (const n of bucket) if (x[n]! >= west && x[n]! <= east && y[n]! >= south && y[n]! <= north) visit(n);
    };
    const [c0, c1, r0, r1] = [this.#column(west), this.#column(east), this.#row(south), this.#row(north)];
    if ((c1 - c0 + 1) * (r1 - r0 + 1) > this.#buckets.size)
      for (const bucket of this.#buckets.values()) inBucket(bucket);
    else
      for (let row = r0; row <= r1; row++)
        for (let column = c0; column <= c1; column++) {
          const bucket = this.#buckets.get(column + row * width);
          if (bucket !== undefined) inBucket(bucket);
        }
  }
}
