import type { PlacedGeometry } from './placed.ts';
import { BUFFER, EXTENT } from './units.ts';

const [LOW, HIGH] = [-BUFFER, EXTENT + BUFFER];

/** From coordinates of the map to units of a tile: `x * scale - left + turn`, `y * scale - top`. */
export interface TileTransform {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /** Added to x: for what reaches beyond the antimeridian. */
  readonly turn: number;
}

/** Where the bounds of a geometry lie: in a tile and its buffer, across their sides, or elsewhere. */
export function boundsRelation(
  bounds: PlacedGeometry['bounds'],
  { scale, left, top, turn }: TileTransform,
): 'inside' | 'crosses' | 'outside' {
  const west = bounds[0] * scale - left + turn;
  const east = bounds[2] * scale - left + turn;
  const north = bounds[1] * scale - top;
  const south = bounds[3] * scale - top;
  if (!(west <= HIGH && east >= LOW && north <= HIGH && south >= LOW)) return 'outside';
  return west >= LOW && east <= HIGH && north >= LOW && south <= HIGH ? 'inside' : 'crosses';
}

/** Clips points, lines and rings to a tile and its buffer. Its memory is used again and again. */
export class BoxClipper {
  /** The vertices: x and y in units of the tile. */
  points = new Float64Array(1 << 10);
  #to = new Float64Array(1 << 10);

  /** Fills `points` with vertices in units of the tile. Returns the length of their coordinates. */
  transform(coordinates: Float64Array, first: number, end: number, { scale, left, top, turn }: TileTransform): number {
    const length = Math.max(0, 2 * (end - first));
    if (this.points.length < length) this.points = new Float64Array(2 * length);
    const units = this.points;
    for (let n = 0, at = 2 * first; n < length; n += 2, at += 2) {
      units[n] = coordinates[at]! * scale - left + turn;
      units[n + 1] = coordinates[at + 1]! * scale - top;
    }
    return length;
  }

  /** Leaves the points inside of the buffer. Returns their length. */
  clipPoints(length: number): number {
    const { points } = this;
    let size = 0;
    for (let i = 0; i < length; i += 2) {
      const [x, y] = [points[i]!, points[i + 1]!];
      if (!(x >= LOW && y >= LOW && x <= HIGH && y <= HIGH)) continue;
      points[size++] = x;
      points[size++] = y;
    }
    return size;
  }

  /** Calls `add` for each piece of a line inside of the buffer (Liang and Barsky 1984). */
  clipLine(length: number, isInside: boolean, add: (piece: Float64Array, length: number) => void): void {
    const line = this.points;
    if (isInside) {
      // A single vertex is no line.
      if (length >= 4) add(line, length);
      return;
    }
    if (this.#to.length < 2 * length) this.#to = new Float64Array(4 * length);
    const piece = this.#to;
    let size = 0;
    const finish = () => {
      if (size > 0) add(piece, size);
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

  /**
   * Leaves the part of a ring inside of the buffer (Sutherland and Hodgman 1974), without its closing point. Returns
   * its length.
   */
  clipRing(whole: number, isInside: boolean): number {
    let points = this.points;
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
      [this.points, this.#to] = [kept, this.points];
      points = kept;
      length = size;
    }
    return length;
  }
}
