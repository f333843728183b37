import type { PlacedGeometry } from './placed.ts';
import { validRings } from './polygon-repair.ts';
import { BUFFER, EXTENT } from './units.ts';

const [LOW, HIGH] = [-BUFFER, EXTENT + BUFFER];

/** Paths in whole units of a tile. */
export interface PathList {
  /** x and y of the points of all paths. */
  readonly points: Int32Array;
  /** The point after the last one of each path. */
  readonly ends: readonly number[];
  readonly count: number;
}

/** How coordinates of the map become units of a tile. */
export interface TilePlace {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /** Added to x: for what reaches beyond the antimeridian. */
  readonly turn: number;
}

/** Where the bounds of a geometry lie: in a tile and its buffer, across their sides, or elsewhere. */
export function placeOfBounds(
  bounds: PlacedGeometry['bounds'],
  { scale, left, top, turn }: TilePlace,
): 'inside' | 'crosses' | 'outside' {
  const west = bounds[0] * scale - left + turn;
  const east = bounds[2] * scale - left + turn;
  const north = bounds[1] * scale - top;
  const south = bounds[3] * scale - top;
  if (!(west <= HIGH && east >= LOW && north <= HIGH && south >= LOW)) return 'outside';
  return west >= LOW && east <= HIGH && north >= LOW && south <= HIGH ? 'inside' : 'crosses';
}

/**
 * Rings of at most this many points are not simplified: elements and plots next to each other keep corners that they
 * share.
 */
const FEW_POINTS = 8;

/**
 * Clips geometries to a tile and its buffer, simplifies them by a unit and makes polygons valid. Its memory is used
 * again and again.
 */
export class TileClipper implements PathList {
  /** The paths that were found last, until the next ones are. */
  points = new Int32Array(1 << 10);
  readonly ends: number[] = [];
  #length = 0;
  /** Coordinates in units of the tile, before and after a side was clipped. */
  #from = new Float64Array(1 << 10);
  #to = new Float64Array(1 << 10);
  #whole = new Int32Array(1 << 10);
  #kept = new Uint8Array(1 << 9);
  readonly #stack: number[] = [];
  /** Whether each ring is an exterior ring. */
  readonly #exterior: boolean[] = [];

  get count(): number {
    return this.ends.length;
  }

  /** Whether something of the geometry lies in the tile. */
  clip({ type, coordinates, parts, polygons, bounds }: PlacedGeometry, place: TilePlace): boolean {
    this.#length = 0;
    if (this.ends.length > 0) this.ends.length = 0;
    const where = placeOfBounds(bounds, place);
    if (where === 'outside') return false;
    const isInside = where === 'inside';
    const count = parts === undefined || parts.length === 0 ? 1 : parts.length;
    const last = coordinates.length / 2;
    if (type === 1) this.#clipPoints(coordinates, place);
    this.#exterior.length = 0;
    // Holes of a ring without an area are left out with it.
    let isDrawn = false;
    for (let part = 0, polygon = 0; type !== 1 && part < count; part++) {
      const first = count === 1 ? 0 : parts![part]!;
      const end = part + 1 < count ? parts![part + 1]! : last;
      if (type === 2) {
        this.#clipLine(this.#units(coordinates, first, end, place), isInside);
        continue;
      }
      const isExterior = polygons === undefined ? part === 0 : polygons[polygon] === part;
      if (isExterior) polygon++;
      else if (!isDrawn) continue;
      const length = this.#clipRing(this.#units(coordinates, first, end, place), isInside);
      const wasAdded = this.#addRing(length, isExterior);
      if (isExterior) isDrawn = wasAdded;
    }
    if (type === 3 && this.ends.length > 0) this.#makeValid();
    return this.ends.length > 0;
  }

  /** Changes vertices to units of the tile. Returns the length of their coordinates. */
  #units(coordinates: Float64Array, first: number, end: number, { scale, left, top, turn }: TilePlace): number {
    const length = Math.max(0, 2 * (end - first));
    if (this.#from.length < length) this.#from = new Float64Array(2 * length);
    const units = this.#from;
    for (let n = 0, at = 2 * first; n < length; n += 2, at += 2) {
      units[n] = coordinates[at]! * scale - left + turn;
      units[n + 1] = coordinates[at + 1]! * scale - top;
    }
    return length;
  }

  #clipPoints(coordinates: Float64Array, place: TilePlace): void {
    const length = this.#units(coordinates, 0, coordinates.length / 2, place);
    this.#reserve(length);
    for (let i = 0; i < length; i += 2) {
      const [x, y] = [this.#from[i]!, this.#from[i + 1]!];
      if (!(x >= LOW && y >= LOW && x <= HIGH && y <= HIGH)) continue;
      this.points[this.#length++] = Math.round(x);
      this.points[this.#length++] = Math.round(y);
    }
    if (this.#length > 0) this.ends.push(this.#length / 2);
  }

  /** Adds the pieces of a line inside of the buffer (Liang and Barsky 1984). */
  #clipLine(length: number, isInside: boolean): void {
    if (isInside) {
      // A single vertex is no line.
      if (length >= 4) this.#addLine(this.#from, length);
      return;
    }
    const line = this.#from;
    if (this.#to.length < 2 * length) this.#to = new Float64Array(4 * length);
    const piece = this.#to;
    let size = 0;
    const finish = () => {
      if (size > 0) this.#addLine(piece, size);
      size = 0;
    };
    for (let i = 0; i + 3 < length; i += 2) {
      const [x0, y0, x1, y1] = [line[i]!, line[i + 1]!, line[i + 2]!, line[i + 3]!];
      let [from, to] = [0, 1];
      for (let side = 0; side < 4; side++) {
        const distance = side === 0 ? x0 - x1 : side === 1 ? x1 - x0 : side === 2 ? y0 - y1 : y1 - y0;
        const room = side === 0 ? x0 - LOW : side === 1 ? HIGH - x0 : side === 2 ? y0 - LOW : HIGH - y0;
        if (distance === 0) {
          if (room < 0) to = -1;
        } else if (distance < 0) from = Math.max(from, room / distance);
        else to = Math.min(to, room / distance);
      }
      if (!(from <= to)) {
        finish();
        continue;
      }
      if (size === 0) {
        piece[size++] = x0 + from * (x1 - x0);
        piece[size++] = y0 + from * (y1 - y0);
      }
      piece[size++] = to === 1 ? x1 : x0 + to * (x1 - x0);
      piece[size++] = to === 1 ? y1 : y0 + to * (y1 - y0);
      if (to < 1) finish();
    }
    finish();
  }

  #addLine(line: Float64Array, length: number): void {
    const count = this.#snapped(line, length, 2);
    if (count >= 2) this.ends.push(this.#length / 2);
  }

  /**
   * Leaves the part of a ring inside of the buffer (Sutherland and Hodgman 1974), without its closing point. Returns
   * its length.
   */
  #clipRing(whole: number, isInside: boolean): number {
    let points = this.#from;
    let length = whole;
    if (length >= 4 && points[0] === points[length - 2] && points[1] === points[length - 1]) length -= 2;
    if (isInside) return length;
    for (let side = 0; side < 4; side++) {
      const axis = side < 2 ? 0 : 1;
      const limit = side % 2 === 0 ? LOW : HIGH;
      const sign = side % 2 === 0 ? 1 : -1;
      let all = true;
      for (let i = axis; i < length && all; i += 2) all = sign * (points[i]! - limit) >= 0;
      if (all) continue;
      // Each edge adds at most two points.
      if (this.#to.length < 2 * length) this.#to = new Float64Array(4 * length);
      const kept = this.#to;
      let size = 0;
      for (let i = 0, before = length - 2; i < length; before = i, i += 2) {
        const x = points[i]!;
        const y = points[i + 1]!;
        const px = points[before]!;
        const py = points[before + 1]!;
        const isIn = sign * ((axis === 0 ? x : y) - limit) >= 0;
        const wasIn = sign * ((axis === 0 ? px : py) - limit) >= 0;
        if (isIn !== wasIn) {
          // From the point inside, so that the ring on the other side of the edge gets the same point.
          const [ix, iy, ox, oy] = isIn ? [x, y, px, py] : [px, py, x, y];
          const share = axis === 0 ? (limit - ix) / (ox - ix) : (limit - iy) / (oy - iy);
          kept[size++] = axis === 0 ? limit : ix + share * (ox - ix);
          kept[size++] = axis === 1 ? limit : iy + share * (oy - iy);
        }
        if (isIn) {
          kept[size++] = x;
          kept[size++] = y;
        }
      }
      [this.#from, this.#to] = [kept, this.#from];
      points = kept;
      length = size;
    }
    return length;
  }

  /**
   * Exterior rings turn clockwise on the screen, holes the other way. False for a ring without an area, which is left
   * out.
   */
  #addRing(length: number, isExterior: boolean): boolean {
    const start = this.#length;
    const count = this.#snapped(this.#from, length, 3);
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
    if (this.#length + length <= this.points.length) return;
    const larger = new Int32Array(2 * (this.#length + length));
    larger.set(this.points.subarray(0, this.#length));
    this.points = larger;
  }

  /**
   * Adds the points in whole units, without those that lie within a unit of the line (Douglas and Peucker 1973).
   * Returns their number; 0 if there are fewer than needed.
   */
  #snapped(units: Float64Array, length: number, least: 2 | 3): number {
    if (this.#whole.length < length) {
      this.#whole = new Int32Array(2 * length);
      this.#kept = new Uint8Array(length);
    }
    const whole = this.#whole;
    let size = 0;
    for (let i = 0; i < length; i += 2) {
      const x = Math.round(units[i]!);
      const y = Math.round(units[i + 1]!);
      if (size > 0 && whole[size - 2] === x && whole[size - 1] === y) continue;
      whole[size++] = x;
      whole[size++] = y;
    }
    if (least === 3) while (size > 2 && whole[0] === whole[size - 2] && whole[1] === whole[size - 1]) size -= 2;
    const count = size / 2;
    if (count < least) return 0;
    this.#reserve(size);
    const points = this.points;
    const start = this.#length;
    if (count > (least === 3 ? FEW_POINTS : least)) {
      const kept = this.#kept;
      kept.fill(0, 0, count);
      kept[0] = 1;
      // A ring is cut at the point that is farthest from its first one.
      const middle = least === 3 ? farthestFromFirst(whole, count) : count - 1;
      kept[middle] = 1;
      this.#mark(count, 0, middle);
      if (least === 3) this.#mark(count, middle, count);
      for (let n = 0; n < count; n++) {
        if (kept[n] === 0) continue;
        points[this.#length++] = whole[2 * n]!;
        points[this.#length++] = whole[2 * n + 1]!;
      }
      if ((this.#length - start) / 2 >= least) return (this.#length - start) / 2;
      this.#length = start;
    }
    for (let n = 0; n < size; n++) points[this.#length++] = whole[n]!;
    return count;
  }

  /** Marks the points between two that a simpler line needs. The end may be the first point of a ring. */
  #mark(count: number, first: number, last: number): void {
    const points = this.#whole;
    const kept = this.#kept;
    const stack = this.#stack;
    stack.push(first, last);
    while (stack.length > 0) {
      const to = stack.pop()!;
      const from = stack.pop()!;
      const end = to === count ? 0 : to;
      const x0 = points[2 * from]!;
      const y0 = points[2 * from + 1]!;
      const dx = points[2 * end]! - x0;
      const dy = points[2 * end + 1]! - y0;
      // Squares of distances, times the square of the length: whole numbers.
      const length = dx * dx + dy * dy;
      const scale = length === 0 ? 1 : length;
      let farthest = -1;
      let most = scale;
      for (let n = from + 1; n < to; n++) {
        const px = points[2 * n]! - x0;
        const py = points[2 * n + 1]! - y0;
        const along = px * dx + py * dy;
        let distance = 0;
        if (along <= 0) distance = (px * px + py * py) * scale;
        else if (along >= length) distance = ((px - dx) * (px - dx) + (py - dy) * (py - dy)) * scale;
        else {
          const across = px * dy - py * dx;
          distance = across * across;
        }
        if (distance > most) {
          farthest = n;
          most = distance;
        }
      }
      if (farthest < 0) continue;
      kept[farthest] = 1;
      stack.push(from, farthest, farthest, to);
    }
  }
}

/** Whether all points lie on one line. */
function isFlat(points: Int32Array, start: number, end: number): boolean {
  const [x, y] = [points[start]!, points[start + 1]!];
  const [dx, dy] = [points[start + 2]! - x, points[start + 3]! - y];
  for (let i = start + 4; i < end; i += 2) if (dx * (points[i + 1]! - y) !== dy * (points[i]! - x)) return false;
  return true;
}

function farthestFromFirst(points: Int32Array, count: number): number {
  let [farthest, most] = [0, -1];
  for (let n = 0; n < count; n++) {
    const dx = points[2 * n]! - points[0]!;
    const dy = points[2 * n + 1]! - points[1]!;
    const distance = dx * dx + dy * dy;
    if (distance > most) {
      farthest = n;
      most = distance;
    }
  }
  return farthest;
}
