import { FileSource } from '../../formats/io/bytes.ts';
import { nodataColour, scaleOf } from '../../geo/draw/colours.ts';
import { encodePng } from '../../geo/draw/png.ts';
import { unpackImage } from '../../geo/raster/translate.ts';
import type { DrawnScheme, MatrixLimits, TileSlice } from '../../tiles/dataset/description.ts';
import { StoredTiles } from '../../tiles/dataset/stored-tiles.ts';
import { decodePng, type Pixels } from './pixels.ts';

/** Longer side of an enlarged picture in pixels, at most. */
const enlargedSide = 512;
/** Tiles beside and below each other of which a picture is joined. */
const mostAcross = 2;

/** Columns and rows of the tiles with data of a level. */
interface Window {
  readonly level: number;
  readonly columns: readonly [first: number, last: number];
  readonly rows: readonly [first: number, last: number];
}

/**
 * The tiles of the last step and the highest layer, of the deepest stored level that has few of them, joined into one
 * PNG without its empty margin. Undefined: no such tile has data.
 */
export async function topTile(path: string): Promise<Uint8Array | undefined> {
  await using source = await FileSource.open(path, { checksum: false });
  const tiles = await StoredTiles.open(source);
  const { tilingSchemes, timeStamps, layerIds } = tiles.description;
  const slice = { step: Math.max(0, timeStamps.length - 1), layer: Math.max(0, layerIds.length - 1) };
  for (const scheme of [...tilingSchemes].sort((one, other) => rank(one) - rank(other))) {
    const windows = windowsOf(await tiles.limits(scheme.schemeId, slice));
    for (const window of windows) {
      const joined = await joinTiles(tiles, scheme, slice, window);
      const cropped = joined && withoutMargin(joined);
      if (cropped === undefined) continue;
      const { width, height, rgba } = enlarged(cropped);
      return encodePng(width, height, rgba, 'fast');
    }
  }
  return undefined;
}

/** Pictures come before values. */
const rank = ({ outputType }: DrawnScheme): number => ['PNG', 'WEBP', 'BinnedData256', 'RawData'].indexOf(outputType);

/** Deepest level first. */
function windowsOf(limits: readonly MatrixLimits[]): Window[] {
  const windows = [...Map.groupBy(limits, ({ tileMatrix }) => tileMatrix)].map(([matrix, all]) => ({
    level: Number(matrix),
    columns: [least(all, 'minTileCol'), -least(all, 'maxTileCol', -1)] as const,
    rows: [least(all, 'minTileRow'), -least(all, 'maxTileRow', -1)] as const,
  }));
  return windows
    .filter(({ columns, rows }) => [columns, rows].every(([first, last]) => last - first < mostAcross))
    .sort((one, other) => other.level - one.level);
}

const least = (limits: readonly MatrixLimits[], member: Exclude<keyof MatrixLimits, 'tileMatrix'>, sign = 1): number =>
  limits.reduce((found, limit) => Math.min(found, sign * limit[member]), Infinity);

async function joinTiles(
  tiles: StoredTiles,
  scheme: DrawnScheme,
  slice: TileSlice,
  { level, columns, rows }: Window,
): Promise<Pixels | undefined> {
  const { tileWidth, tileHeight } = scheme;
  const width = (columns[1] - columns[0] + 1) * tileWidth;
  const height = (rows[1] - rows[0] + 1) * tileHeight;
  const rgba = new Uint8Array(4 * width * height);
  for (let row = rows[0]; row <= rows[1]; row++)
    for (let column = columns[0]; column <= columns[1]; column++) {
      const tile = await tiles.tile(scheme.schemeId, slice, [level, column, row]);
      if (tile === undefined) continue;
      const pixels = await pixelsOf(tile.bytes, scheme);
      const corner = (row - rows[0]) * tileHeight * width + (column - columns[0]) * tileWidth;
      for (let line = 0; line < tileHeight; line++)
        rgba.set(pixels.subarray(4 * line * tileWidth, 4 * (line + 1) * tileWidth), 4 * (corner + line * width));
    }
  return { width, height, rgba };
}

async function pixelsOf(bytes: Uint8Array, scheme: DrawnScheme): Promise<Uint8Array> {
  const { outputType, tileWidth: width, tileHeight: height } = scheme;
  if (outputType === 'PNG') return decodePng(bytes).rgba;
  if (outputType === 'WEBP')
    return unpackImage({ driver: 'WEBP', files: [['.webp', bytes]], width, height, samples: 4 });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = Float64Array.from({ length: width * height }, (_, n) =>
    outputType === 'RawData' ? view.getFloat32(4 * n, true) : bytes[n] || Number.NaN,
  );
  const { minValue, maxValue } = scheme;
  const ends = outputType === 'RawData' ? [minValue, maxValue] : [1, 255];
  const scale = scaleOf(ends.every((end) => end !== undefined) ? (ends as number[]) : values);
  const rgba = new Uint8Array(4 * values.length);
  for (const [n, value] of values.entries())
    if (!Number.isNaN(value)) rgba.set([...(scale?.colour(value) ?? nodataColour), 255], 4 * n);
  return rgba;
}

/** Repeats the pixels of few cells, so that the picture is not tiny. */
function enlarged({ width, height, rgba }: Pixels): Pixels {
  const factor = Math.max(1, Math.floor(enlargedSide / Math.max(width, height)));
  if (factor === 1) return { width, height, rgba };
  const [across, down] = [factor * width, factor * height];
  const out = new Uint8Array(4 * across * down);
  for (let n = 0; n < across * down; n++) {
    const from = 4 * (Math.floor(Math.floor(n / across) / factor) * width + Math.floor((n % across) / factor));
    out.set(rgba.subarray(from, from + 4), 4 * n);
  }
  return { width: across, height: down, rgba: out };
}

/** Undefined if all is transparent. */
function withoutMargin({ width, height, rgba }: Pixels): Pixels | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let n = 0; n < width * height; n++) {
    if (rgba[4 * n + 3] === 0) continue;
    const [column, row] = [n % width, Math.floor(n / width)];
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = row;
  }
  if (bottom < 0) return undefined;
  const [across, down] = [right - left + 1, bottom - top + 1];
  const cropped = new Uint8Array(4 * across * down);
  for (let row = 0; row < down; row++) {
    const from = 4 * ((top + row) * width + left);
    cropped.set(rgba.subarray(from, from + 4 * across), 4 * row * across);
  }
  return { width: across, height: down, rgba: cropped };
}
