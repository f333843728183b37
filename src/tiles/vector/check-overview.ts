import { gunzipSync } from 'node:zlib';
import type { TileNumber } from '../../files/tiles/vector/vector-tile.ts';
import type { TileRequest } from '../draw-threads.ts';
import type { FeatureTiles } from './feature-tiles.ts';

export interface OverviewCheck {
  /** Tiles that were drawn anew. */
  checked: number;
  wrong: { tile: string; reason: string }[];
}

/** Draws tiles of an overview anew, chosen at random, and compares them. */
export async function checkOverview(
  tiles: FeatureTiles,
  { count, lastLevel }: { count: number; lastLevel: number },
  request: TileRequest,
): Promise<OverviewCheck> {
  const result: OverviewCheck = { checked: 0, wrong: [] };
  for (let n = 0; n < count; n++) {
    request.signal.throwIfAborted();
    const tile = await tileAtRandom(tiles, below(lastLevel + 1));
    const stored = await tiles.stored(tile);
    if (stored === undefined) break;
    const drawn = await tiles.drawAnew(tile, request);
    result.checked++;
    if (drawn !== undefined && contentOf(stored)?.equals(gunzipSync(drawn))) continue;
    const reason = 'The tile that was drawn ahead differs from a new drawing.';
    result.wrong.push({ tile: `${tile.level}/${tile.column}/${tile.row}`, reason });
  }
  return result;
}

const below = (end: number): number => Math.floor(Math.random() * end);

/** Undefined for a tile that cannot be unpacked. */
function contentOf(tile: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(tile);
  } catch {
    return undefined;
  }
}

/** A tile of the overview at a level, or at the last one on the way to it. */
async function tileAtRandom(tiles: FeatureTiles, level: number): Promise<TileNumber> {
  let tile: TileNumber = { level: 0, column: 0, row: 0 };
  while (tile.level < level) {
    const { level: above, column, row } = tile;
    const children = [0, 1, 2, 3].map((n) => ({
      level: above + 1,
      column: 2 * column + (n & 1),
      row: 2 * row + (n >> 1),
    }));
    const there = await Promise.all(children.map(async (child) => (await tiles.stored(child)) !== undefined));
    const found = children.filter((_, n) => there[n]);
    if (found.length === 0) break;
    tile = found[below(found.length)]!;
  }
  return tile;
}
