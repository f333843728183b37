import { grown } from '../../data/number-list.ts';
import { BoxClipper, boundsRelation, type TileTransform } from './clip.ts';
import type { PlacedGeometry } from './placed.ts';
import { validRings } from './polygon-repair.ts';
import { Simplifier } from './simplify.ts';

/** Paths in whole units of a tile. */
export interface PathList {
  /** x and y of the points of all paths. */
  readonly points: Int32Array;
  /** For each path, the index after its last point. */
  readonly ends: readonly number[];
  readonly count: number;
}

/**
 * Clips geometries to a tile and its buffer, simplifies them by a unit and makes polygons valid. Each call of `clip`
 * overwrites the paths of the call before.
 */
export class TileClipper implements PathList {
  /** Paths of the last call of `clip`. */
  points = new Int32Array(1 << 10);
  readonly ends: number[] = [];
  #length = 0;
  readonly #clipper = new BoxClipper();
  readonly #simplifier = new Simplifier();
  /** Whether each ring is an exterior ring. */
  readonly #exterior: boolean[] = [];

  get count(): number {
    return this.ends.length;
  }

  /** Returns whether a part of the geometry lies in the tile or its buffer. */
  clip({ type, coordinates, parts, polygons, bounds }: PlacedGeometry, transform: TileTransform): boolean {
    this.#length = 0;
    if (this.ends.length > 0) this.ends.length = 0;
    const where = boundsRelation(bounds, transform);
    if (where === 'outside') return false;
    const isInside = where === 'inside';
    const count = parts === undefined || parts.length === 0 ? 1 : parts.length;
    const last = coordinates.length / 2;
    const clipper = this.#clipper;
    if (type === 1) this.#addPoints(clipper.clipPoints(clipper.transform(coordinates, 0, last, transform)));
    this.#exterior.length = 0;
    // A ring without an area is left out together with its holes.
    let isDrawn = false;
    for (let part = 0, polygon = 0; type !== 1 && part < count; part++) {
      const first = count === 1 ? 0 : parts![part]!;
      const end = part + 1 < count ? parts![part + 1]! : last;
      const isExterior = polygons === undefined ? part === 0 : polygons[polygon] === part;
      if (isExterior) polygon++;
      else if (type === 3 && !isDrawn) continue;
      const length = clipper.transform(coordinates, first, end, transform);
      if (type === 2) {
        clipper.clipLine(length, isInside, (piece, size) => this.#addLine(piece, size));
        continue;
      }
      const wasAdded = this.#addRing(clipper.clipRing(length, isInside), isExterior);
      if (isExterior) isDrawn = wasAdded;
    }
    if (type === 3 && this.ends.length > 0) this.#makeValid();
    return this.ends.length > 0;
  }

  #addPoints(length: number): void {
    const { points } = this.#clipper;
    this.#reserve(length);
    for (let n = 0; n < length; n++) this.points[this.#length++] = Math.round(points[n]!);
    if (length > 0) this.ends.push(this.#length / 2);
  }

  #addLine(line: Float64Array, length: number): void {
    const count = this.#addSimplified(line, length, 2);
    if (count >= 2) this.ends.push(this.#length / 2);
  }

  /**
   * Exterior rings turn clockwise on the screen, holes the other way. False for a ring without an area, which is left
   * out.
   */
  #addRing(length: number, isExterior: boolean): boolean {
    const start = this.#length;
    const count = this.#addSimplified(this.#clipper.points, length, 3);
    const points = this.points;
    const end = start + 2 * count;
    let area = 0;
    for (let i = start, before = end - 2; i < end; before = i, i += 2)
      area += points[before]! * points[i + 1]! - points[i]! * points[before + 1]!;
    // The parts of a ring that crosses itself can cancel out: it is cut apart later.
    if (count === 0 || (area === 0 && isFlat(points, start, end))) {
      this.#length = start;
      return false;
    }
    // With y to the bottom, a positive area is clockwise.
    if (area > 0 !== isExterior)
      for (let low = start, high = end - 2; low < high; low += 2, high -= 2)
        for (let k = 0; k < 2; k++) {
          const moved = points[low + k]!;
          points[low + k] = points[high + k]!;
          points[high + k] = moved;
        }
    this.ends.push(this.#length / 2);
    this.#exterior.push(isExterior);
    return true;
  }

  /** Clipping leaves edges along the sides of the tile, and rounding can make rings touch. */
  #makeValid(): void {
    const { points, ends } = validRings({ points: this.points, ends: this.ends, exterior: this.#exterior });
    if (points === this.points) return;
    this.#length = 0;
    this.#reserve(points.length);
    this.points.set(points);
    this.#length = points.length;
    this.ends.length = 0;
    for (const end of ends) this.ends.push(end);
  }

  #reserve(length: number): void {
    if (this.#length + length > this.points.length) this.points = grown(this.points, 2 * (this.#length + length));
  }

  /** Adds the simplified points. Returns their number; 0 if there are fewer than needed. */
  #addSimplified(units: Float64Array, length: number, least: 2 | 3): number {
    const count = this.#simplifier.simplify(units, length, least);
    this.#reserve(2 * count);
    const { points } = this;
    const simple = this.#simplifier.points;
    const start = this.#length;
    for (let n = 0; n < 2 * count; n++) points[start + n] = simple[n]!;
    this.#length += 2 * count;
    return count;
  }
}

/** Whether all points lie on one line. */
function isFlat(points: Int32Array, start: number, end: number): boolean {
  const [x, y] = [points[start]!, points[start + 1]!];
  const [dx, dy] = [points[start + 2]! - x, points[start + 3]! - y];
  for (let i = start + 4; i < end; i += 2) if (dx * (points[i + 1]! - y) !== dy * (points[i]! - x)) return false;
  return true;
}
