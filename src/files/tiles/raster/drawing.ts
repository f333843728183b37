import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ConversionError } from '../../errors.ts';
import { MOST_LEVELS_ABOVE } from '../dataset/check-description.ts';
import { DEEPEST, DRAW_AHEAD_TILES, MOST_TILES, type TilingScheme } from '../dataset/schemes.ts';
import type { AddTile } from '../dataset/zip-archive.ts';
import {
  type Box,
  latticeOf,
  mercatorMatrices,
  nativeMatrices,
  resolutionOf,
  type TileIndex,
  type TileMatrices,
  type TileRange,
  tileCount,
  tilesWithin,
} from '../matrices.ts';
import { mercatorBoxes } from '../web-mercator.ts';
import type { TileEncoder } from './encode-tile.ts';
import { type DrawnTile, drawPyramid, type PyramidOptions, type ValueRows } from './pyramid.ts';
import type { OpenItem, TileSource } from './tile-source.ts';
import type { SummedTile } from './tile-sums.ts';
import type { SourceSlice } from './values/item-values.ts';
import { overviewLevels, overviewOf, packSums } from './values/overviews.ts';

const zipped = promisify(gzip);
/** Tiles that are encoded at the same time. */
const maxPending = 4;

/** The matrices of a scheme, the levels to be drawn, and where they have data. */
export interface TilePlan {
  readonly matrices: TileMatrices;
  readonly mercator: boolean;
  /** Pixels of this level are read from the data; those above are made of them. */
  readonly base: number;
  readonly levels: readonly number[];
  /** Levels whose tiles are drawn at their first request. */
  readonly onRequest: readonly number[];
  /** Extent of the data, in the coordinate system of the matrices. */
  readonly boxes: readonly Box[];
}

export function planTiles(scheme: TilingScheme, source: TileSource): TilePlan {
  const { tileWidth, tileHeight, zoomLevels } = scheme;
  if (scheme.schemeType === 'WMTS') {
    const { matrices, last } = nativeMatrices(source.box, source.cell, { tileWidth, tileHeight });
    const levels = zoomLevels ?? Array.from({ length: last + 1 }, (_, level) => level);
    return { matrices, mercator: false, base: last, levels, onRequest: [], boxes: [source.box] };
  }
  const finer = (level: number) => resolutionOf(mercatorMatrices, level) <= source.mercatorCell * (1 + 1e-6);
  let base = 0;
  while (base < DEEPEST && !finer(base)) base++;
  const same = resolutionOf(mercatorMatrices, base) >= source.mercatorCell * (1 - 1e-6);
  const last = Math.max(0, same ? base : base - 1);
  const levels = zoomLevels ?? Array.from({ length: last + 1 }, (_, level) => level);
  return {
    matrices: mercatorMatrices,
    mercator: true,
    base,
    levels,
    onRequest: [],
    boxes: mercatorBoxes(source.extent),
  };
}

/**
 * Chooses the levels of XYZ that are drawn at their first request: those the scheme names, else those from which on all
 * levels together have more tiles than are drawn ahead.
 * @param ahead the most tiles that are drawn ahead
 * @throws ConversionError if the levels to be drawn now have too many tiles
 */
export function withLevelsOnRequest(
  scheme: TilingScheme,
  plan: TilePlan,
  { slices, ahead = DRAW_AHEAD_TILES }: { slices: number; ahead?: number },
): TilePlan {
  const { mercator, base, levels } = plan;
  const counts = tileCounts(plan, slices);
  const highest = base - MOST_LEVELS_ABOVE;
  const first = mercator
    ? Math.max(highest, Math.min(scheme.firstLevelOnRequest ?? Infinity, firstBeyond()))
    : Infinity;
  const drawnNow = counts.reduce((sum, count, n) => (levels[n]! < first ? sum + count : sum), 0);
  checkCount(scheme, drawnNow, { slices, ...(mercator && { highest }) });
  return { ...plan, onRequest: levels.filter((level) => level >= first) };

  /** The level with which there are more tiles than are drawn ahead. */
  function firstBeyond(): number {
    let sum = 0;
    const n = counts.findIndex((count) => {
      sum += count;
      return sum > ahead;
    });
    return n < 0 ? Infinity : levels[n]!;
  }
}

/**
 * For files that hold all levels.
 * @throws ConversionError if they have too many tiles
 */
export function checkAllLevels(scheme: TilingScheme, plan: TilePlan, slices: number): void {
  const count = tileCounts(plan, slices).reduce((sum, one) => sum + one, 0);
  checkCount(scheme, count, { slices });
}

/** The most tiles of each level. */
const tileCounts = ({ matrices, boxes, levels }: TilePlan, slices: number): number[] =>
  levels.map((level) => slices * rangesOf(matrices, level, boxes).reduce((sum, one) => sum + tileCount(one), 0));

/** @param highest the first level that can be drawn on request; absent: none can */
function checkCount(
  { schemeId }: TilingScheme,
  count: number,
  { slices, highest }: { slices: number; highest?: number },
) {
  if (count <= MOST_TILES) return;
  // Lower levels do not help where the levels are too low to be drawn on request, and too many steps have them.
  const levels =
    highest === undefined
      ? 'Give fewer or lower zoomLevels.'
      : `Zoom levels from ${highest} on are drawn on request; leave out some of those before.`;
  const steps = `They are of ${slices} time steps and layers; choose fewer with a temporal or vertical filter.`;
  throw new ConversionError(
    `Scheme '${schemeId}' needs up to ${count} tiles; at most ${MOST_TILES} are drawn. ${slices > 1 ? `${levels} ${steps}` : levels}`,
  );
}

export interface Output {
  readonly encode: TileEncoder;
  readonly compress: boolean;
  readonly add: AddTile;
  /** Takes the overviews that levels on request are drawn of. */
  readonly keep?: AddTile;
  /** Called with the share of the work that is done, 0 to 1. */
  advance(share: number): void;
}

export type Encoding = Pick<Output, 'encode' | 'compress'>;

/** Whether a level on request is drawn of overviews. */
export const needsOverviews = ({ base, onRequest }: TilePlan): boolean =>
  onRequest.some((level) => overviewOf(base, level) !== undefined);

export interface Drawing {
  readonly item: Pick<OpenItem, 'planes'>;
  readonly slice: SourceSlice;
  readonly method: TilingScheme['aggregationMethod'];
}

/** Draws all tiles of a slice that have data and are not drawn on request, row by row within a level. */
export async function drawSlice(plan: TilePlan, drawing: Drawing, output: Output): Promise<void> {
  const { matrices, base, levels, onRequest, boxes } = plan;
  const { keep } = output;
  const pending: (() => Promise<void>)[] = [];
  const addLater = async (
    add: AddTile,
    { level, column, row }: Omit<DrawnTile, 'planes'>,
    packed: Promise<Uint8Array>,
  ) => {
    // A failure is thrown when its turn comes.
    packed.catch(() => {});
    pending.push(async () => add(level, column, row, await packed));
    if (pending.length >= maxPending) await pending.shift()!();
  };
  const now = levels.filter((level) => !onRequest.includes(level));
  const coarse = now.filter((level) => level <= base);
  const sums = keep && {
    levels: overviewLevels(base),
    take: (tile: SummedTile) => addLater(keep, tile, packSums(tile)),
  };
  const passes: Pick<Ranges, 'from' | 'wanted' | 'sums'>[] = now
    .filter((level) => level > base)
    .map((level) => ({ from: level, wanted: [level] }));
  if (coarse.length > 0 || sums !== undefined) passes.unshift({ from: base, wanted: coarse, ...(sums && { sums }) });
  for (const [n, pass] of passes.entries())
    await drawRanges(plan, drawing, {
      ...pass,
      ranges: rangesOf(matrices, pass.from, boxes),
      advance: (share) => output.advance((n + share) / passes.length),
      emit: (tile) => addLater(output.add, tile, encodedTile(output, tile.planes)),
    });
  for (const add of pending) await add();
}

/** Draws one tile, with the same bytes as `drawSlice`. Undefined for a tile without data. */
export async function drawOne(
  plan: TilePlan,
  drawing: Drawing,
  [level, column, row]: TileIndex,
  output: Encoding,
): Promise<Uint8Array | undefined> {
  const from = Math.max(level, plan.base);
  const scale = 2 ** (from - level);
  const ranges = rangesOf(plan.matrices, from, plan.boxes).flatMap((range) => {
    const within = {
      firstColumn: Math.max(range.firstColumn, column * scale),
      endColumn: Math.min(range.endColumn, (column + 1) * scale),
      firstRow: Math.max(range.firstRow, row * scale),
      endRow: Math.min(range.endRow, (row + 1) * scale),
    };
    return within.firstColumn < within.endColumn && within.firstRow < within.endRow ? [within] : [];
  });
  let encoded: Promise<Uint8Array> | undefined;
  await drawRanges(plan, drawing, {
    from,
    wanted: [level],
    ranges,
    async emit(tile) {
      // The planes are read at once: they are used again for the next tile.
      encoded = encodedTile(output, tile.planes);
      encoded.catch(() => {});
    },
  });
  return encoded;
}

/** The planes are read before it returns. */
export const encodedTile = async ({ encode, compress }: Encoding, planes: DrawnTile['planes']): Promise<Uint8Array> => {
  const bytes = await encode(planes);
  return compress ? zipped(bytes) : bytes;
};

interface Ranges extends Pick<PyramidOptions, 'emit' | 'sums'> {
  readonly from: number;
  readonly wanted: readonly number[];
  readonly ranges: readonly TileRange[];
  readonly advance?: Output['advance'];
}

async function drawRanges(
  { matrices, mercator }: TilePlan,
  { item, slice, method }: Drawing,
  { from, wanted, ranges, advance, ...taken }: Ranges,
): Promise<void> {
  const strips = ranges.map((range) => ({
    range,
    planes: item.planes(latticeOf(matrices, from, range), mercator, slice),
  }));
  const [strip] = strips;
  if (strip === undefined) return;
  const { tileWidth, tileHeight } = matrices;
  if (advance !== undefined) {
    const { firstRow, endRow } = strip.range;
    strip.planes[0] = advancing(strip.planes[0]!, (endRow - firstRow) * tileHeight, advance);
  }
  await drawPyramid(strips, { tileWidth, tileHeight, base: from, levels: wanted, method, ...taken });
}

async function* advancing(rows: AsyncIterable<ValueRows>, count: number, advance: Output['advance']) {
  for await (const block of rows) {
    advance((block.firstRow + block.rowCount) / count);
    yield block;
  }
}

/** The tiles of a level that may have data. Ranges that meet become one. */
export function rangesOf(matrices: TileMatrices, level: number, boxes: readonly Box[]): TileRange[] {
  const size = resolutionOf(matrices, level);
  const ranges = boxes.flatMap((box) => {
    // The side of a projected rectangle bends between the points that were looked at.
    const margin = matrices.width === mercatorMatrices.width ? 2 * size + 0.001 * (box.east - box.west) : -1e-6 * size;
    const { west, south, east, north } = box;
    const wide = { west: west - margin, south: south - margin, east: east + margin, north: north + margin };
    return tilesWithin(matrices, level, wide) ?? [];
  });
  const [one, other] = ranges.toSorted((a, b) => a.firstColumn - b.firstColumn);
  if (one === undefined || other === undefined || one.endColumn < other.firstColumn) return ranges;
  return [{ ...one, endColumn: Math.max(one.endColumn, other.endColumn) }];
}
