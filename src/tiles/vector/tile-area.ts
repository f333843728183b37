import type { Crs } from '../../data/crs-reference.ts';
import type { Area } from '../../formats/flatgeobuf/schema.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import { wgs84 } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { HALF_WORLD } from '../../geo/tiles/matrices.ts';
import { BUFFER, EXTENT } from '../../geo/tiles/mvt.ts';
import { mercatorX, mercatorY, nearestTurn, toGeographic } from '../../geo/tiles/place.ts';
import type { TileNumber } from '../../geo/tiles/vector-tile.ts';

const mercator: Crs = { authority: 'EPSG', code: 3857 };
/** Sides of the net of points on a tile. */
const net = 16;

/** Where a tile lies in the coordinate system of a file. */
export interface TileArea {
  /** Without the buffer. Absent: some of it has no place there. */
  readonly tile?: Area;
  /** Areas to be searched. */
  readonly wanted: readonly Area[];
}

const everywhere: Area = { west: -Infinity, south: -Infinity, east: Infinity, north: Infinity };

export async function tileArea({ level, column, row }: TileNumber, crs: KnownCrs): Promise<TileArea> {
  const size = (2 * HALF_WORLD) / 2 ** level;
  const [left, top] = [-HALF_WORLD + column * size, HALF_WORLD - row * size];
  const [x, y] = [new Float64Array((net + 1) ** 2), new Float64Array((net + 1) ** 2)];
  for (let n = 0; n < x.length; n++) {
    x[n] = left + ((n % (net + 1)) / net) * size;
    y[n] = top - (Math.floor(n / (net + 1)) / net) * size;
  }
  // The antimeridian itself may come out on either side.
  for (let n = 0; n < x.length; n++) x[n] = Math.max(-HALF_WORLD + 1e-6, Math.min(HALF_WORLD - 1e-6, x[n]!));
  if (!(await hasPlaces(x, y, crs))) return { wanted: [everywhere] };
  const tile: Area = { west: least(x), south: least(y), east: most(x), north: most(y) };
  // Sides may bend between the points.
  const margin = BUFFER / EXTENT + 0.01;
  const [across, up] = [(tile.east - tile.west) * margin, (tile.north - tile.south) * margin];
  const wide = (shift: number): Area => ({
    west: tile.west - across + shift,
    south: tile.south - up,
    east: tile.east + across + shift,
    north: tile.north + up,
  });
  if (!crs.geographic) return { tile, wanted: [wide(0)] };
  const turn = (2 * Math.PI) / crs.unit.factor;
  return { tile, wanted: [wide(0), wide(turn), wide(-turn)] };
}

/** Changes coordinates of Web Mercator. Whether all of them have a place in the other system. */
async function hasPlaces(x: Float64Array, y: Float64Array, crs: KnownCrs): Promise<boolean> {
  if (crs.code === wgs84.code && crs.authority === 'EPSG') {
    for (let n = 0; n < x.length; n++) {
      x[n] = (x[n]! / HALF_WORLD) * 180;
      y[n] = (Math.atan(Math.sinh((y[n]! / HALF_WORLD) * Math.PI)) * 180) / Math.PI;
    }
    return true;
  }
  using change = await transformer(mercator, crs);
  return change.forward(x, y) === 0;
}

const least = (values: Float64Array): number => values.reduce((one, other) => Math.min(one, other), Infinity);
const most = (values: Float64Array): number => values.reduce((one, other) => Math.max(one, other), -Infinity);

/**
 * Sides of a pixel of 256 in the coordinate system of a file, where the file and the tile meet. Projections have places
 * for tiles far away whose boxes say nothing about it.
 * @param box of the file
 */
export async function pixelOf({ level }: TileNumber, crs: KnownCrs, tile: Area | undefined, box: Area) {
  const [x, y] = middleOf(tile, box);
  const [dx, dy] = [(box.east - box.west) / 1e4 || 1e-6, (box.north - box.south) / 1e4 || 1e-6];
  const [xs, ys] = [Float64Array.of(x, x + dx, x), Float64Array.of(y, y, y + dy)];
  await toGeographic(crs, xs, ys);
  const pixel = (2 * HALF_WORLD) / 2 ** level / 256;
  const steps = [1, 2].map((n) =>
    Math.hypot(mercatorX(nearestTurn(xs[n]!, xs[0]!)) - mercatorX(xs[0]!), mercatorY(ys[n]!) - mercatorY(ys[0]!)),
  );
  const across = (dx * pixel) / steps[0]!;
  const up = (dy * pixel) / steps[1]!;
  const whole = tile ?? box;
  return {
    x: Number.isFinite(across) ? across : (whole.east - whole.west) / 256,
    y: Number.isFinite(up) ? up : (whole.north - whole.south) / 256,
  };
}

/** The middle of where a tile and a file meet; of the file if they do not. */
function middleOf(tile: Area | undefined, box: Area): [number, number] {
  const west = Math.max(box.west, tile?.west ?? -Infinity);
  const east = Math.min(box.east, tile?.east ?? Infinity);
  const south = Math.max(box.south, tile?.south ?? -Infinity);
  const north = Math.min(box.north, tile?.north ?? Infinity);
  const meet = west <= east && south <= north;
  return meet ? [(west + east) / 2, (south + north) / 2] : [(box.west + box.east) / 2, (box.south + box.north) / 2];
}
