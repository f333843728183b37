import type { Position } from 'geojson';
import type { Geometry } from 'hydrofiles/data';

/*
 * The atlas is spherical: its lines jump from 180° to −180°, and Antarctica is a ring around the pole. On the plane
 * longitudes run on across the antimeridian, and a ring around a pole is closed along it.
 */

/** Longitudes and latitudes. */
type Line = [longitude: number, latitude: number][];

/** The longitude, or the same one some turns away, nearest to another. */
const nearestTurn = (longitude: number, to: number): number => longitude + 360 * Math.round((to - longitude) / 360);

function unwrapped(line: readonly Position[]): Line {
  let before: number | undefined;
  return line.map(([x, y]) => {
    before = nearestTurn(x!, before ?? x!);
    return [before, y!];
  });
}

/** Closes a ring around a pole. */
function closedAtPole(ring: Line): Line {
  const [first, last] = [ring[0]!, ring.at(-1)!];
  if (Math.abs(last[0] - first[0]) < 180) return ring;
  const pole = first[1] < 0 ? -90 : 90;
  return [...ring, [last[0], pole], [first[0], pole], first];
}

function middleOf(line: Line): number {
  let [west, east] = [Infinity, -Infinity];
  for (const [x] of line) {
    west = Math.min(west, x);
    east = Math.max(east, x);
  }
  return (west + east) / 2;
}

/** The line, some turns away, with its middle nearest to a longitude. */
function movedTo(line: Line, longitude: number): Line {
  const middle = middleOf(line);
  const turn = nearestTurn(middle, longitude) - middle;
  return turn === 0 ? line : line.map(([x, y]) => [x + turn, y]);
}

function flat(type: 'LineString' | 'Polygon', lines: readonly Line[]): Geometry {
  const starts: number[] = [];
  let count = 0;
  for (const { length } of lines) {
    starts.push(count);
    count += length;
  }
  return { type, coordinates: Float64Array.from(lines.flat(2)), parts: Uint32Array.from(starts) };
}

/** Latitude beyond the upper and lower side of the map. */
const BEYOND = 85.1;
const isBeyond = ([, y]: Position): boolean => Math.abs(y!) > BEYOND;

/** Some polygons of the atlas are cut along the antimeridian, or around the pole: neither is a coast. */
const isSeam = (from: Position, to: Position): boolean =>
  (Math.abs(from[0]!) > 179.9999 && Math.abs(to[0]!) > 179.9999) || (isBeyond(from) && isBeyond(to));

/** A line on the plane without edges where polygons are cut; the middle of each piece lies between −180° and 180°. */
export function placedLines(line: readonly Position[]): Geometry[] {
  const pieces: Position[][] = [];
  let piece: Position[] = [];
  for (const [n, point] of line.entries()) {
    if (n > 0 && isSeam(line[n - 1]!, point)) {
      pieces.push(piece);
      piece = [];
    }
    piece.push(point);
  }
  return [...pieces, piece]
    .filter(({ length }) => length > 1)
    .map((one) => flat('LineString', [movedTo(unwrapped(one), 0)]));
}

/** A polygon on the plane, with its middle between −180° and 180°, and its holes in it. Undefined beyond the map. */
export function placedPolygon(rings: readonly (readonly Position[])[]): Geometry | undefined {
  const [exterior, ...holes] = rings
    .filter((ring) => !ring.every(isBeyond))
    .map((ring) => closedAtPole(unwrapped(ring)));
  if (exterior === undefined) return undefined;
  const moved = movedTo(exterior, 0);
  const middle = middleOf(moved);
  return flat('Polygon', [moved, ...holes.map((hole) => movedTo(hole, middle))]);
}
