import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileSource } from 'hydrofiles/bytes';
import { FormatError } from 'hydrofiles/errors';
import { TileArchive } from 'hydrofiles/tiles';
import type { BlobStore } from '../../blobs/blobs.ts';
import { AppError } from '../../errors.ts';
import { DEFAULT_MEMORY_MB } from '../../transfers/queue/resource-request.ts';
import { ChildDied } from '../../transfers/run/conversion.ts';
import type { Executor } from '../../transfers/run/executor.ts';
import { evictTiles } from '../store/evict.ts';
import { storeTile, TILE_BYTES } from '../store/tile-store.queries.ts';
import { contentOf, deleteFormer, lockNumber } from '../store/tile-store.ts';
import { findVectorContent } from './draw-ahead.queries.ts';

/** Tiles that more features touch are drawn ahead: drawing one of them takes 30 ms and more. */
const MIN_FEATURES = 2500;
/** The deepest level that viewers ask for by the description of the tiles. */
const LAST_LEVEL = 14;
/** The part of the store that tiles drawn ahead of one dataset may take. */
const MOST_OF_STORE = 1 / 4;
/** How often a drawing looks whether the dataset has got another content. */
const LOOK_EVERY_MS = 1000;

type Parts = Pick<Executor, 'db' | 'convert' | 'scratch' | 'scratchGb' | 'timeLimit' | 'log'> & {
  readonly blobs: BlobStore;
  /** Maximum bytes of drawn tiles in the database; 0: it stores none. */
  readonly keptBytes: number;
};

/** The dataset has another content, for which another job waits. */
class Outdated extends Error {}

/**
 * Draws the tiles of many features of the current content of a dataset into the store of drawn tiles. It may run twice,
 * and ends early if the dataset gets another content: a trigger has enqueued another job then. A content that cannot be
 * drawn stays without tiles.
 */
export async function drawAhead(parts: Parts, datasetId: string, signal: AbortSignal): Promise<void> {
  const blob = await findVectorContent(parts.db, datasetId);
  if (blob === null || parts.keptBytes === 0) return;
  const folder = join(parts.scratch, `tiles-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  const ended = new AbortController();
  const watch = watchContent(parts, datasetId, blob, ended.signal);
  const stop = AbortSignal.any([signal, watch.changed]);
  try {
    await drawAndStore(parts, { datasetId, blob, folder }, stop);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Outdated || watch.changed.aborted) return;
    const isHopeless = [AppError, FormatError, ChildDied].some((kind) => error instanceof kind);
    if (!isHopeless || (error instanceof AppError && error.kind === 'unavailable')) throw error;
    parts.log.warn({ err: error, datasetId }, 'vector tiles could not be drawn ahead');
  } finally {
    ended.abort();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Aborts when the dataset has another content. */
function watchContent({ db }: Parts, datasetId: string, blob: string, ended: AbortSignal): { changed: AbortSignal } {
  const changed = new AbortController();
  const look = async () => {
    for (;;) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: ended, ref: false });
      // if the database does not answer, the drawing goes on
      const current = await findVectorContent(db, datasetId).catch(() => undefined);
      if (current === undefined || current === blob) continue;
      changed.abort(new Outdated());
      return;
    }
  };
  look().catch(() => {});
  return { changed: changed.signal };
}

async function drawAndStore(
  { db, blobs, convert, scratchGb, timeLimit, log, keptBytes }: Parts,
  { datasetId, blob, folder }: { datasetId: string; blob: string; folder: string },
  signal: AbortSignal,
): Promise<void> {
  const [input, output] = [join(folder, 'input'), join(folder, 'output')];
  await blobs.fetch(blob, input, signal);
  await convert(
    {
      input: { path: input, name: 'content.fgb' },
      output: { path: output },
      scratch: folder,
      reader: { name: 'GISReader' },
      writer: { name: 'PMTilesWriter', parameters: { MaxZoom: LAST_LEVEL, MinFeatures: MIN_FEATURES } },
      threads: 1,
    },
    { memoryMb: DEFAULT_MEMORY_MB, scratchGb, time: timeLimit, timeLimit },
    { signal, progress() {}, log: (level, message) => level === 'error' && log.warn({ datasetId }, message) },
  );
  const content = { datasetId, blob, schemeId: 'features', step: 0, layer: 0 };
  await using source = await FileSource.open(output, { checksum: false });
  let bytesLeft = MOST_OF_STORE * keptBytes;
  // The least detailed tiles, which have the most features, come first.
  for await (const { bytes, ...tile } of (await TileArchive.open(source)).tiles()) {
    signal.throwIfAborted();
    bytesLeft -= TILE_BYTES + bytes.length;
    if (bytesLeft < 0) break;
    const key = { ...content, ...tile };
    await db.transaction((tx) => storeTile(tx, key, contentOf(bytes, lockNumber(key))));
  }
  await deleteFormer(db, content);
  await evictTiles(db, keptBytes);
}
