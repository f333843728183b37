import { gunzipSync } from 'node:zlib';
import type { Reads } from '../db.ts';
import type { TileRequest } from './draw-threads.ts';
import { sampleTiles } from './store/tile-store.queries.ts';
import type { TileStore } from './store/tile-store.ts';
import type { FeatureTiles } from './vector/feature-tiles.ts';

export interface VectorCheck {
  /** Tiles that were drawn anew. */
  checked: number;
  wrong: { tile: string; reason: string }[];
}

/** Draws stored tiles anew, chosen at random, and compares them. */
export async function checkVectorTiles(
  { db, store }: { readonly db: Reads; readonly store: TileStore },
  tiles: FeatureTiles,
  count: number,
  request: TileRequest,
): Promise<VectorCheck> {
  const result: VectorCheck = { checked: 0, wrong: [] };
  const { fields } = tiles;
  const { key } = tiles.drawing({ tile: { level: 0, column: 0, row: 0 }, fields, slice: { step: 0, layer: 0 } });
  const samples = await sampleTiles(db, key, count);
  for (let n = 0; n < count && samples.length > 0; n++) {
    const { bytes: stored, ...tile } = samples[n % samples.length]!;
    request.signal.throwIfAborted();
    const { bytes } = await store.draw(tiles.drawing({ tile, fields, slice: { step: 0, layer: 0 } }), request);
    result.checked++;
    if (bytes !== undefined && inflateTile(stored)?.equals(gunzipSync(bytes))) continue;
    const reason = 'The tile that was drawn ahead differs from a new drawing.';
    result.wrong.push({ tile: `${tile.level}/${tile.column}/${tile.row}`, reason });
  }
  return result;
}

/** Undefined for a tile that cannot be unpacked. */
function inflateTile(tile: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(tile);
  } catch {
    return undefined;
  }
}
