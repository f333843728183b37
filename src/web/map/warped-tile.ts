import type { MapNet } from './answers.ts';
import { decodeTile } from './pixels.ts';
import type { Level, MapScheme } from './tile-grid.ts';
import type { Slice, TileStore } from './tile-store.ts';

const SIDE = 256;
/** Coordinates of points far from the data are larger. */
const FAR = 1e11;

/**
 * The place of a point of a tile, whose sides have the length 1, in the coordinate system of the net; undefined far
 * from the data.
 */
export function netPoint({ side, x, y }: MapNet, across: number, down: number): [number, number] | undefined {
  const [u, v] = [across * (side - 1), down * (side - 1)];
  const column = Math.min(side - 2, Math.max(0, Math.floor(u)));
  const row = Math.min(side - 2, Math.max(0, Math.floor(v)));
  const at = row * side + column;
  const corners = [at, at + 1, at + side, at + side + 1];
  if (corners.some((n) => !(x[n]! < FAR && y[n]! < FAR))) return undefined;
  const [p, q] = [u - column, v - row];
  const between = (values: readonly number[]) =>
    (1 - q) * ((1 - p) * values[at]! + p * values[at + 1]!) +
    q * ((1 - p) * values[at + side]! + p * values[at + side + 1]!);
  return [between(x), between(y)];
}

interface Wanted {
  readonly level: Level;
  /** Zoom level, column and row of the tile of the map. */
  readonly place: readonly [number, number, number];
  readonly signal: AbortSignal;
}

/** A tile of the map, drawn pixel by pixel of the tiles of a scheme in another coordinate system. */
export async function warpedTile(
  store: TileStore,
  { scheme, grid }: MapScheme,
  slice: Slice,
  { level, place, signal }: Wanted,
): Promise<ImageBitmap> {
  const net = await store.net(scheme, place, signal);
  const { tileWidth: width, tileHeight: height } = grid;
  // In pixels of the level.
  const places = new Float64Array(2 * SIDE * SIDE).fill(Number.NaN);
  const [columns, rows] = [level.columns * width, level.rows * height];
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = 0; n < SIDE * SIDE; n++) {
    const point = netPoint(net, ((n % SIDE) + 0.5) / SIDE, (Math.floor(n / SIDE) + 0.5) / SIDE);
    if (point === undefined) continue;
    const x = Math.floor((point[0] - grid.left) / level.resolution);
    const y = Math.floor((grid.top - point[1]) / level.resolution);
    if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
    places[2 * n] = x;
    places[2 * n + 1] = y;
    [west, north, east, south] = [Math.min(west, x), Math.min(north, y), Math.max(east, x), Math.max(south, y)];
  }
  const image = new ImageData(SIDE, SIDE);
  if (west > east) return createImageBitmap(image);
  const first = { column: Math.floor(west / width), row: Math.floor(north / height) };
  const last = { column: Math.floor(east / width), row: Math.floor(south / height) };
  const whole = new OffscreenCanvas((last.column - first.column + 1) * width, (last.row - first.row + 1) * height);
  const context = whole.getContext('2d', { willReadFrequently: true })!;
  const drawn: Promise<void>[] = [];
  for (let row = first.row; row <= last.row; row++)
    for (let column = first.column; column <= last.column; column++)
      drawn.push(
        store
          .tile(scheme, slice, [level.id, column, row], signal)
          .then((bytes) => decodeTile(scheme, bytes))
          .then((bitmap) => {
            context.drawImage(bitmap, (column - first.column) * width, (row - first.row) * height);
            bitmap.close();
          }),
      );
  await Promise.all(drawn);
  const from = new Uint32Array(context.getImageData(0, 0, whole.width, whole.height).data.buffer);
  const to = new Uint32Array(image.data.buffer);
  for (let n = 0; n < SIDE * SIDE; n++) {
    const [x, y] = [places[2 * n]! - first.column * width, places[2 * n + 1]! - first.row * height];
    if (!Number.isNaN(x)) to[n] = from[y * whole.width + x]!;
  }
  return createImageBitmap(image);
}
