import { EdgeColumns, orientation, RingEdges, type TileRings, visitNearPairs } from './polygon-edges.ts';

/** Maximum number of points for which the products of `isStarShaped` are exact. */
const MOST_SEEN = 10_000;

/** Tests whether polygons are valid in a Mapbox Vector Tile. Its memory is used again and again. */
export class PolygonValidity {
  readonly #edges = new RingEdges();

  /**
   * Whether no ring touches itself or another one, holes lie in their exterior ring, and no polygon in another one. So
   * polygons whose rings touch in a point, which is allowed, are not taken as valid either.
   * @param rings each with an area, exterior ones clockwise on the screen and holes the other way
   */
  isValid(rings: TileRings): boolean {
    const isAlone = rings.ends.length === 1;
    if (isAlone && isStarShaped(rings.points, rings.ends[0]!)) return true;
    this.#edges.set(rings);
    return !visitNearPairs(this.#edges, this.#touch(rings)) && (isAlone || this.#isNested(rings));
  }

  #touch({ ends }: TileRings): (one: number, other: number) => boolean {
    const { x0, y0, x1, y1, ring } = this.#edges;
    return (i, j) => {
      const [ax, ay, bx, by] = [x0[i]!, y0[i]!, x1[i]!, y1[i]!];
      const [cx, cy, dx, dy] = [x0[j]!, y0[j]!, x1[j]!, y1[j]!];
      if (ring[i] === ring[j]) {
        // Neighbours share a point, and more if the second one goes back over the first.
        if (j === i + 1)
          return orientation(ax, ay, bx, by, dx, dy) === 0 && (bx - ax) * (dx - cx) + (by - ay) * (dy - cy) < 0;
        const first = ring[i] === 0 ? 0 : ends[ring[i]! - 1]!;
        if (i === first && j === ends[ring[i]!]! - 1)
          return orientation(cx, cy, dx, dy, bx, by) === 0 && (bx - ax) * (dx - cx) + (by - ay) * (dy - cy) < 0;
      }
      const c = orientation(ax, ay, bx, by, cx, cy);
      const d = orientation(ax, ay, bx, by, dx, dy);
      if ((c > 0 && d > 0) || (c < 0 && d < 0)) return false;
      // Collinear edges whose boxes touch overlap.
      const a = orientation(cx, cy, dx, dy, ax, ay);
      const b = orientation(cx, cy, dx, dy, bx, by);
      return !((a > 0 && b > 0) || (a < 0 && b < 0));
    };
  }

  /** Whether rings, which do not touch each other, are nested correctly. */
  #isNested({ points, ends, exterior }: TileRings): boolean {
    const { ring } = this.#edges;
    const columns = new EdgeColumns(this.#edges);
    for (let n = 0, own = 0; n < ends.length; n++) {
      if (exterior[n]) own = n;
      const first = n === 0 ? 0 : ends[n - 1]!;
      let [others, around] = [0, 0];
      columns.visitBelow(2 * points[2 * first]!, 2 * points[2 * first + 1]!, (edge, sign) => {
        if (ring[edge] === n) return;
        others += sign;
        if (ring[edge] === own) around += sign;
      });
      if (exterior[n] ? others !== 0 : others !== 1 || around !== 1) return false;
    }
    return true;
  }
}

/**
 * Whether all points of a ring can be seen from the mean of its points, once around: most rings, found without a look
 * at pairs of edges.
 */
function isStarShaped(points: Int32Array, count: number): boolean {
  if (count > MOST_SEEN) return false;
  let [sumX, sumY] = [0, 0];
  for (let n = 0; n < 2 * count; n += 2) {
    sumX += points[n]!;
    sumY += points[n + 1]!;
  }
  // Times the number of points: whole numbers.
  let x = points[2 * count - 2]! * count - sumX;
  let y = points[2 * count - 1]! * count - sumY;
  let turns = 0;
  for (let n = 0; n < 2 * count; n += 2) {
    const nextX = points[n]! * count - sumX;
    const nextY = points[n + 1]! * count - sumY;
    // Clockwise on the screen.
    if (x * nextY - y * nextX <= 0) return false;
    if (y < 0 && nextY >= 0) turns++;
    x = nextX;
    y = nextY;
  }
  return turns === 1;
}
