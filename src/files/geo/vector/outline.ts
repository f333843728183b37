import type { Crs } from '../../data/crs-reference.ts';
import { sridOf, wgs84 } from '../crs/crs.ts';
import { nearestTurn } from '../crs/geographic-extent.ts';
import { transformer } from '../crs/transform.ts';
import type { GridGeometry } from '../warp/image-transformer.ts';

/** Points per side: a side that is straight in one coordinate system is a curve in another. */
const perSide = 16;

/**
 * Points along the four sides of a grid, in its coordinate system, from its outer corner at row 0, column 0; the first
 * is not repeated.
 */
export interface Outline {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export function outlineOf({ width, height, affine: [x0, a, b, y0, c, d] }: GridGeometry, points = perSide): Outline {
  const corners = [
    [0, 0],
    [0, height],
    [width, height],
    [width, 0],
  ] as const;
  const x = new Float64Array(4 * points);
  const y = new Float64Array(4 * points);
  for (let i = 0; i < 4 * points; i++) {
    const side = Math.floor(i / points);
    const [[column0, row0], [column1, row1]] = [corners[side]!, corners[(side + 1) % 4]!];
    const share = (i % points) / points;
    const column = column0 + (column1 - column0) * share;
    const row = row0 + (row1 - row0) * share;
    x[i] = x0 + column * a + row * b;
    y[i] = y0 + column * c + row * d;
  }
  return { x, y };
}

/** A box as a grid of one cell. */
export const boxGeometry = (west: number, south: number, east: number, north: number): GridGeometry => ({
  width: 1,
  height: 1,
  affine: [west, east - west, 0, north, 0, south - north],
});

/**
 * Outline of a grid as WKT polygon in WGS 84, longitude before latitude, 7 decimals; undefined when a part of it has no
 * place there.
 */
export async function outlineWkt(grid: GridGeometry, crs: Crs): Promise<string | undefined> {
  const outline = await outlineInDegrees(grid, crs);
  return outline && polygonWkt(withoutNearlyStraight(outline));
}

/**
 * Outline of a grid in WGS 84, x being the longitude; undefined when a part of it has no place there. Longitudes run on
 * across 180°. Around a pole, or around the earth, they go from −180 to 180.
 */
export async function outlineInDegrees(grid: GridGeometry, crs: Crs): Promise<Outline | undefined> {
  // In WGS 84 the corners are enough, and PROJ need not be loaded.
  if (sridOf(crs) === 'EPSG:4326') {
    const outline = outlineOf(grid, 1);
    return outline.x.every(Number.isFinite) && outline.y.every(Number.isFinite) ? outline : undefined;
  }
  const { x, y } = outlineOf(grid);
  using transform = await transformer(crs, wgs84);
  if (transform.forward(x, y) > 0) return undefined;
  const [, a, b, , c, d] = grid.affine;
  return joined(x, y, a * d - b * c < 0);
}

const isPole = (latitude: number): boolean => Math.abs(latitude) > 90 - 1e-9;

/**
 * Joins the longitudes of an outline at 180°. `counterClockwise` is how it runs in the coordinate system of the grid.
 */
function joined(x: Float64Array, y: Float64Array, counterClockwise: boolean): Outline {
  const count = x.length;
  const before = (n: number) => (n + count - 1) % count;
  const after = (n: number) => (n + 1) % count;
  // The longitude of a pole means nothing, except on a side that lies on it as a whole, as in a cylindrical projection.
  const pole = y.findIndex((latitude, n) => isPole(latitude) && !isPole(y[before(n)]!) && !isPole(y[after(n)]!));
  if (pole >= 0) {
    const order = Array.from({ length: count }, (_, n) => (pole + n) % count);
    const [longitudes, latitudes] = [order.map((n) => x[n]!), order.map((n) => y[n]!)];
    // The outline comes to the pole along one meridian and leaves it along another.
    longitudes[0] = longitudes[1]!;
    const [runsOn] = runOn(Float64Array.from([...longitudes, longitudes.at(-1)!]));
    return turned(runsOn, Float64Array.from([...latitudes, latitudes[0]!]));
  }
  const [runsOn, turn] = runOn(x);
  return turn === 0 ? turned(runsOn, y) : aroundPole(runsOn, y, turn, turn > 0 === counterClockwise ? 90 : -90);
}

/**
 * Longitudes that are less than half a turn from the one before, and what the outline has turned when it is back at its
 * start.
 */
function runOn(longitudes: Float64Array): [longitudes: Float64Array, turn: number] {
  const result = longitudes.slice();
  for (let n = 1; n < result.length; n++) result[n] = nearestTurn(result[n]!, result[n - 1]!);
  return [result, nearestTurn(result[0]!, result.at(-1)!) - result[0]!];
}

/** Begins west of 180°. An outline all around the earth becomes a box. */
function turned(x: Float64Array, y: Float64Array): Outline {
  const [west, east] = [Math.min(...x), Math.max(...x)];
  if (east - west >= 360 - tolerance) {
    const [south, north] = [Math.min(...y), Math.max(...y)];
    return { x: Float64Array.of(-180, -180, 180, 180), y: Float64Array.of(north, south, south, north) };
  }
  const turn = 360 * Math.floor((west + 180 + tolerance) / 360);
  return { x: x.map((longitude) => longitude - turn), y };
}

/** Degrees, for roundings of PROJ. */
const tolerance = 1e-9;

/** Cuts an outline around a pole at 180°, and closes it along the pole. */
function aroundPole(x: Float64Array, y: Float64Array, turn: number, pole: number): Outline {
  const count = x.length;
  // Once more around the earth, eastwards, so that one whole turn from −180 to 180 is in it.
  const all = Array.from({ length: 2 * count + 1 }, (_, n): [number, number] => [
    x[n % count]! + turn * Math.floor(n / count),
    y[n % count]!,
  ]);
  if (turn < 0) all.reverse();
  const start = 360 * Math.ceil((all[0]![0] + 180) / 360) - 180;
  const latitudeAt = (longitude: number): number => {
    const n = all.findIndex(([one]) => one >= longitude);
    const [[x0, y0], [x1, y1]] = [all[Math.max(0, n - 1)]!, all[n]!];
    return x1 === x0 ? y1 : y0 + ((y1 - y0) * (longitude - x0)) / (x1 - x0);
  };
  const from = latitudeAt(start);
  const inner = all.slice(
    all.findIndex(([one]) => one > start),
    all.findIndex(([one]) => one >= start + 360),
  );
  const points = [[-180, pole], [-180, from], ...inner.map(([one, latitude]) => [one - start - 180, latitude])];
  points.push([180, latitudeAt(start + 360)], [180, pole]);
  return { x: Float64Array.from(points, ([one]) => one!), y: Float64Array.from(points, ([, one]) => one!) };
}

/** The most that a side may bend between its points, as a share of the diagonal. */
const mostBend = 1e-4;

/** Leaves out points that lie nearly on the line between others (Douglas and Peucker 1973). */
function withoutNearlyStraight({ x, y }: Outline): Outline {
  const across = Math.max(...x) - Math.min(...x);
  // Around a pole all points are needed, so that none of them lies half a turn from the next.
  if (across > 180) return { x, y };
  const diagonal = Math.hypot(across, Math.max(...y) - Math.min(...y));
  const count = x.length;
  const kept = new Set<number>();
  const farthest = (first: number, end: number): [at: number, distance: number] => {
    const [x0, y0] = [x[first]!, y[first]!];
    const [dx, dy] = [x[end % count]! - x0, y[end % count]! - y0];
    let [at, most] = [first, 0];
    for (let n = first + 1; n < end; n++) {
      const [px, py] = [x[n]! - x0, y[n]! - y0];
      const share = Math.max(0, Math.min(1, (px * dx + py * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(px - share * dx, py - share * dy);
      if (distance > most) [at, most] = [n, distance];
    }
    return [at, most];
  };
  const keep = (first: number, end: number): void => {
    kept.add(first);
    const [at, distance] = farthest(first, end);
    if (distance <= mostBend * diagonal) return;
    keep(first, at);
    keep(at, end);
  };
  const [opposite] = farthest(0, count);
  keep(0, opposite);
  keep(opposite, count);
  const order = [...kept].sort((one, other) => one - other);
  return { x: Float64Array.from(order, (n) => x[n]!), y: Float64Array.from(order, (n) => y[n]!) };
}

function polygonWkt({ x, y }: Outline): string {
  const points = Array.from(x, (value, i) => `${Number(value.toFixed(7))} ${Number(y[i]!.toFixed(7))}`);
  return `POLYGON ((${[...points, points[0]].join(', ')}))`;
}
