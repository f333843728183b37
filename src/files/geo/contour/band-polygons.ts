import { Box } from '../../data/box.ts';
import { PointInRing } from '../vector/point-in-ring.ts';
import { Rings } from '../vector/rings.ts';
import type { NumberedChain } from './contour-builder.ts';

/** A polygon of a band: its outer ring, then its holes. */
export interface BandPolygon {
  readonly number: number;
  readonly rings: readonly Float64Array[];
}

interface Ring {
  readonly number: number;
  readonly xy: Float64Array;
  readonly size: number;
}

/** Side of the squares by which holes are found, in lengths of an edge. */
const squareSize = 64;

/**
 * Makes polygons of the rings of bands, which have their band to the right where y points down. Holes wait for the
 * ring around them: it lies farther out, so it becomes whole no earlier.
 */
export class BandPolygons {
  readonly #holes = new Map<string, Ring[]>();
  readonly #narrow: number;
  readonly #square: number;

  /**
   * @param length usual length of an edge between two values
   * @param narrow rings that are no wider are left out
   */
  constructor(length: number, narrow: number) {
    this.#narrow = narrow;
    this.#square = squareSize * length;
  }

  /** The polygons that rings make whole, which became whole in the same row. */
  add(chains: readonly NumberedChain[]): BandPolygon[] {
    const outer: Ring[] = [];
    for (const { number, xy: all } of chains) {
      const xy = withoutStraightCorners(all);
      if (xy.length < 8 || isNarrow(xy, this.#narrow)) continue;
      const area = doubleArea(xy);
      const ring = { number, xy, size: Math.abs(area) };
      if (area > 0) outer.push(ring);
      else this.#wait(ring);
    }
    // The smaller one of two rings around a hole is the one that it belongs to.
    outer.sort((a, b) => a.size - b.size);
    return outer.map((ring) => ({ number: ring.number, rings: [ring.xy, ...this.#holesOf(ring)] }));
  }

  #wait(hole: Ring): void {
    const key = this.#key(Math.floor(hole.xy[0]! / this.#square), Math.floor(hole.xy[1]! / this.#square), hole.number);
    const waiting = this.#holes.get(key);
    if (waiting === undefined) this.#holes.set(key, [hole]);
    else waiting.push(hole);
  }

  #key = (column: number, row: number, number: number): string => `${number} ${column} ${row}`;

  #holesOf({ number, xy, size }: Ring): Float64Array[] {
    if (this.#holes.size === 0) return [];
    const { west, south, east, north } = Box.of(xy, 2);
    let locator: PointInRing | undefined;
    const isInside = (hole: Ring) => {
      if (hole.size >= size) return false;
      locator ??= new PointInRing(new Rings(xy, 2, new Uint32Array(1)), 0);
      return locator.locate(hole.xy[0]!, hole.xy[1]!) > 0;
    };
    const found: Float64Array[] = [];
    const take = (key: string) => {
      const waiting = this.#holes.get(key);
      if (waiting === undefined) return;
      const left = waiting.filter((hole) => {
        const [x, y] = [hole.xy[0]!, hole.xy[1]!];
        const belongs = x > west && x < east && y > south && y < north && isInside(hole);
        if (belongs) found.push(hole.xy);
        return !belongs;
      });
      if (left.length === 0) this.#holes.delete(key);
      else this.#holes.set(key, left);
    };
    const [column, row] = [Math.floor(west / this.#square), Math.floor(south / this.#square)];
    const [lastColumn, lastRow] = [Math.floor(east / this.#square), Math.floor(north / this.#square)];
    for (let r = row; r <= lastRow; r++) for (let c = column; c <= lastColumn; c++) take(this.#key(c, r, number));
    return found;
  }
}

/**
 * Whether a ring is no wider than a width, such as twice the distance that contours keep to a value on their level: it
 * leads around a single value, or along a row of them.
 */
export const isNarrow = (xy: Float64Array, width: number): boolean => Math.abs(doubleArea(xy)) <= width * perimeter(xy);

/** Twice the area of a closed ring, positive when it runs clockwise where y points down. */
function doubleArea(xy: Float64Array): number {
  const [x0, y0] = [xy[0]!, xy[1]!];
  let sum = 0;
  for (let i = 2; i + 3 < xy.length; i += 2)
    sum += (xy[i]! - x0) * (xy[i + 3]! - y0) - (xy[i + 2]! - x0) * (xy[i + 1]! - y0);
  return sum;
}

function perimeter(xy: Float64Array): number {
  let sum = 0;
  for (let i = 0; i + 3 < xy.length; i += 2) {
    const [dx, dy] = [xy[i + 2]! - xy[i]!, xy[i + 3]! - xy[i + 1]!];
    // Math.hypot takes several times as long.
    sum += Math.sqrt(dx * dx + dy * dy);
  }
  return sum;
}

/** A closed ring without the vertices in the middle of lines along an axis, such as the borders of a grid. */
function withoutStraightCorners(xy: Float64Array): Float64Array {
  const count = xy.length / 2 - 1;
  const kept = new Float64Array(xy.length);
  let at = 0;
  for (let n = 0; n < count; n++) {
    const before = 2 * (n === 0 ? count - 1 : n - 1);
    const [x, y] = [xy[2 * n]!, xy[2 * n + 1]!];
    if (x === xy[before] && x === xy[2 * n + 2]) continue;
    if (y === xy[before + 1] && y === xy[2 * n + 3]) continue;
    kept[at++] = x;
    kept[at++] = y;
  }
  if (at === 0) return kept.subarray(0, 0);
  kept[at] = kept[0]!;
  kept[at + 1] = kept[1]!;
  return kept.slice(0, at + 2);
}
