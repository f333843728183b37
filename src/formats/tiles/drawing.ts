import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AppError } from '../../errors.ts';
import type { TileEncoder } from '../../geo/tiles/encode-tile.ts';
import type { Box, TileMatrices, TileRange } from '../../geo/tiles/matrices.ts';
import {
  latticeOf,
  mercatorMatrices,
  nativeMatrices,
  resolutionOf,
  tileCount,
  tilesWithin,
} from '../../geo/tiles/matrices.ts';
import { mercatorBoxes } from '../../geo/tiles/place.ts';
import { drawPyramid } from '../../geo/tiles/pyramid.ts';
import type { TilingScheme } from './schemes.ts';
import type { OpenItem, SourceSlice, TileSource } from './tile-source.ts';

const zipped = promisify(gzip);
/** Tiles that are encoded at the same time. */
const maxPending = 4;
/** The most tiles of a scheme. */
export const MOST_TILES = 1_000_000;
const deepestMercator = 24;

/** The matrices of a scheme, the levels to be drawn, and where they have data. */
export interface TilePlan {
  readonly matrices: TileMatrices;
  readonly mercator: boolean;
  /** Pixels of this level are read from the data; those above are made of them. */
  readonly base: number;
  readonly levels: readonly number[];
  /** Of the data, in the coordinate system of the matrices. */
  readonly boxes: readonly Box[];
}

export function planTiles(scheme: TilingScheme, source: TileSource): TilePlan {
  const { tileWidth, tileHeight, zoomLevels } = scheme;
  if (scheme.schemeType === 'WMTS') {
    const { matrices, last } = nativeMatrices(source.box, source.cell, { tileWidth, tileHeight });
    const levels = zoomLevels ?? Array.from({ length: last + 1 }, (_, level) => level);
    return { matrices, mercator: false, base: last, levels, boxes: [source.box] };
  }
  const finer = (level: number) => resolutionOf(mercatorMatrices, level) <= source.mercatorCell * (1 + 1e-6);
  let base = 0;
  while (base < deepestMercator && !finer(base)) base++;
  const same = resolutionOf(mercatorMatrices, base) >= source.mercatorCell * (1 - 1e-6);
  const last = Math.max(0, same ? base : base - 1);
  const levels = zoomLevels ?? Array.from({ length: last + 1 }, (_, level) => level);
  return { matrices: mercatorMatrices, mercator: true, base, levels, boxes: mercatorBoxes(source.extent) };
}

/** @throws AppError if the levels need too many tiles */
export function checkTileCount(schemeId: string, { matrices, boxes, levels }: TilePlan, slices: number): void {
  let count = 0;
  for (const level of levels) for (const range of rangesOf(matrices, level, boxes)) count += tileCount(range) * slices;
  if (count > MOST_TILES)
    throw new AppError(
      'unprocessable',
      `Scheme '${schemeId}' needs up to ${count} tiles; at most ${MOST_TILES} are drawn. Give fewer or lower zoomLevels.`,
    );
}

export interface Output {
  readonly encode: TileEncoder;
  readonly compress: boolean;
  add(level: number, column: number, row: number, bytes: Uint8Array): Promise<void>;
}

/** Draws all tiles of a slice that have data, row by row within a level. */
export async function drawSlice(
  { matrices, mercator, base, levels, boxes }: TilePlan,
  { item, slice, method }: { item: OpenItem; slice: SourceSlice; method: TilingScheme['aggregationMethod'] },
  output: Output,
): Promise<void> {
  const pending: (() => Promise<void>)[] = [];
  const { tileWidth, tileHeight } = matrices;
  const draw = async (from: number, wanted: readonly number[]) => {
    const strips = rangesOf(matrices, from, boxes).map((range) => ({
      range,
      planes: item.planes(latticeOf(matrices, from, range), mercator, slice),
    }));
    if (strips.length === 0) return;
    await drawPyramid(strips, {
      tileWidth,
      tileHeight,
      base: from,
      levels: wanted,
      method,
      async emit({ level, column, row, planes }) {
        const encoded = output.encode(planes).then((bytes) => (output.compress ? zipped(bytes) : bytes));
        // A failure is thrown when its turn comes.
        encoded.catch(() => {});
        pending.push(async () => output.add(level, column, row, await encoded));
        if (pending.length >= maxPending) await pending.shift()!();
      },
    });
  };
  const coarse = levels.filter((level) => level <= base);
  if (coarse.length > 0) await draw(base, coarse);
  for (const level of levels) if (level > base) await draw(level, [level]);
  for (const add of pending) await add();
}

/** The tiles of a level that may have data. Ranges that meet become one. */
function rangesOf(matrices: TileMatrices, level: number, boxes: readonly Box[]): TileRange[] {
  const size = resolutionOf(matrices, level);
  const ranges = boxes.flatMap((box) => {
    // The side of a projected rectangle bends between the points that were looked at.
    const margin = matrices === mercatorMatrices ? 2 * size + 0.001 * (box.east - box.west) : -1e-6 * size;
    const { west, south, east, north } = box;
    const wide = { west: west - margin, south: south - margin, east: east + margin, north: north + margin };
    return tilesWithin(matrices, level, wide) ?? [];
  });
  const [one, other] = ranges.toSorted((a, b) => a.firstColumn - b.firstColumn);
  if (one === undefined || other === undefined || one.endColumn < other.firstColumn) return ranges;
  return [{ ...one, endColumn: Math.max(one.endColumn, other.endColumn) }];
}
