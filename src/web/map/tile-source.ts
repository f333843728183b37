import type { TilingScheme } from './answers.ts';
import { decodeTile, isPicture, valueInTile } from './pixels.ts';
import {
  gridOf,
  isMapTile,
  type Level,
  levelFor,
  type MapScheme,
  mapResolution,
  metresOf,
  piecesOf,
  pixelAt,
  pixelOf,
  WORLD,
} from './tile-grid.ts';
import type { Slice, TileStore } from './tile-store.ts';
import { netPoint, warpedTile } from './warped-tile.ts';

/**
 * The schemes with their matrices, those in Web Mercator first: the map draws the others anew.
 * @param latitude of the middle of the data
 */
export function mapSchemes(schemes: readonly TilingScheme[], latitude: number): MapScheme[] {
  const all = schemes.map((scheme) => ({ scheme, grid: gridOf(scheme, latitude) }));
  return [...all.filter(({ grid }) => grid.isMercator), ...all.filter(({ grid }) => !grid.isMercator)];
}

/** The scheme with values of the same item: raw ones rather than binned ones rather than the scheme itself. */
export function valueScheme(of: MapScheme, all: readonly MapScheme[]): MapScheme {
  const same = all.filter(({ scheme }) => scheme.itemName === of.scheme.itemName);
  const first = (type: string) => same.find(({ scheme }) => scheme.outputType === type);
  return first('RawData') ?? first('BinnedData256') ?? of;
}

/** Whether values of a scheme are read from colours, so that they are estimates. */
export const isEstimate = ({ scheme }: MapScheme): boolean => scheme.outputType !== 'RawData';

const SIDE = 256;

/** A tile of the map: the bytes of a tile of the scheme, or a picture drawn of several. */
export async function mapTile(
  store: TileStore,
  { scheme, grid }: MapScheme,
  slice: Slice,
  [zoom, x, y]: readonly [zoom: number, x: number, y: number],
  signal: AbortSignal,
): Promise<ArrayBuffer | ImageBitmap> {
  const level = levelFor(grid, mapResolution(zoom));
  if (isPicture(scheme) && isMapTile(grid, zoom)) {
    const bytes = await store.tile(scheme, slice, [level.id, x, y], signal);
    // the map hands the bytes to a thread and keeps none
    return bytes.slice(0);
  }
  if (!grid.isMercator) return warpedTile(store, { scheme, grid }, slice, { level, place: [zoom, x, y], signal });
  const canvas = new OffscreenCanvas(SIDE, SIDE);
  const pieces = piecesOf(grid, level, zoom, x, y);
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return createImageBitmap(canvas);
  // put together pixel by pixel and scaled as a whole: edges of scaled pieces would be seen as seams
  const { tileWidth: width, tileHeight: height } = grid;
  const whole = new OffscreenCanvas((last.column - first.column + 1) * width, (last.row - first.row + 1) * height);
  const parts = whole.getContext('2d')!;
  await Promise.all(
    pieces.map(async ({ column, row }) => {
      const bitmap = await decodeTile(scheme, await store.tile(scheme, slice, [level.id, column, row], signal));
      parts.drawImage(bitmap, (column - first.column) * width, (row - first.row) * height);
      bitmap.close();
    }),
  );
  const context = canvas.getContext('2d')!;
  context.imageSmoothingEnabled = level.resolution < mapResolution(zoom);
  context.drawImage(whole, first.left, first.top, last.right - first.left, last.bottom - first.top);
  return createImageBitmap(canvas);
}

/** The value at a place, from the level that the map shows, or from the last one. */
export async function valueAt(
  store: TileStore,
  { scheme, grid }: MapScheme,
  slice: Slice,
  [longitude, latitude]: readonly [number, number],
  { zoom, signal }: { zoom?: number; signal?: AbortSignal } = {},
): Promise<number | undefined> {
  const level = zoom === undefined ? grid.levels.at(-1)! : levelFor(grid, mapResolution(Math.round(zoom)));
  const pixel = grid.isMercator
    ? pixelAt(grid, level, longitude, latitude)
    : await warpedPixel(store, { scheme, grid }, { level, point: [longitude, latitude], zoom }, signal);
  if (pixel === undefined) return undefined;
  return valueInTile(scheme, await store.tile(scheme, slice, [level.id, pixel.column, pixel.row], signal), pixel);
}

/** Levels of the tiles whose nets locate a point. */
const NET_ZOOM = 16;

async function warpedPixel(
  store: TileStore,
  { scheme, grid }: MapScheme,
  { level, point, zoom = NET_ZOOM }: { level: Level; point: readonly [number, number]; zoom?: number | undefined },
  signal: AbortSignal | undefined,
) {
  const tiles = 2 ** Math.round(Math.min(NET_ZOOM, Math.max(0, zoom)));
  const [x, y] = metresOf(...point);
  const [column, row] = [((x + WORLD) / (2 * WORLD)) * tiles, ((WORLD - y) / (2 * WORLD)) * tiles];
  if (row < 0 || row >= tiles) return undefined;
  const place = [Math.log2(tiles), Math.floor(column), Math.floor(row)] as const;
  const net = await store.net(scheme, place, signal);
  const own = netPoint(net, column - place[1], row - place[2]);
  return own && pixelOf(grid, level, own);
}
