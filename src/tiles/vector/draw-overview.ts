import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '../../blobs/blobs.ts';
import { AppError } from '../../errors.ts';
import { FormatError } from '../../files/errors.ts';
import { FileSource } from '../../files/formats/io/bytes.ts';
import { TileArchive } from '../../files/formats/io/pmtiles/archive-reader.ts';
import { DEFAULT_MEMORY_MB } from '../../transfers/queue/resource-request.ts';
import { ChildDied } from '../../transfers/run/conversion.ts';
import type { Executor } from '../../transfers/run/executor.ts';
import { findVectorContent, insertOverview, type NewOverview, noteArchive } from './overviews.queries.ts';

/** Tiles that more features touch are drawn ahead: drawing one of them takes 30 ms and more. */
const MIN_FEATURES = 2500;
/** The deepest level that viewers ask for by the description of the tiles. */
const LAST_LEVEL = 14;
/** How often a drawing looks whether the dataset has got another content. */
const LOOK_EVERY_MS = 1000;

type Parts = Pick<Executor, 'db' | 'convert' | 'scratch' | 'scratchGb' | 'timeLimit' | 'log'> & { blobs: BlobStore };

/** The dataset has another content, for which another job waits. */
class Outdated extends Error {}

/**
 * Draws the tiles of many features of the current content of a dataset into an archive beside it, where the API finds
 * them (`overviews.ts`). It may run twice, and ends early if the dataset gets another content: the trigger of
 * `sql/functions/tiles.sql` has enqueued another job then. A content that cannot be drawn stays without an archive.
 */
export async function drawOverview(parts: Parts, datasetId: string, signal: AbortSignal): Promise<void> {
  const content = await findVectorContent(parts.db, datasetId);
  if (content === null || content.isDrawn) return;
  const folder = join(parts.scratch, `overview-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  const ended = new AbortController();
  const watch = watchContent(parts, datasetId, content.blob, ended.signal);
  const stop = AbortSignal.any([signal, watch.changed]);
  try {
    await drawAndStore(parts, { datasetId, blob: content.blob, folder }, stop);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Outdated || watch.changed.aborted) return;
    const isHopeless = error instanceof AppError || error instanceof FormatError || error instanceof ChildDied;
    if (!isHopeless || (error instanceof AppError && error.kind === 'unavailable')) throw error;
    parts.log.warn({ err: error, datasetId }, 'the overview of vector tiles could not be drawn');
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
      // Without an answer of the database the drawing goes on.
      const current = await findVectorContent(db, datasetId).catch(() => undefined);
      if (current === undefined || (current?.blob === blob && !current.isDrawn)) continue;
      changed.abort(new Outdated());
      return;
    }
  };
  look().catch(() => {});
  return { changed: changed.signal };
}

async function drawAndStore(
  { db, blobs, convert, scratchGb, timeLimit, log }: Parts,
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
  const made = await describe(output);
  if (made.tiles === 0) {
    await insertOverview(db, { datasetId, blob, tiles: 0, bytes: 0 });
    return;
  }
  const archive = `dataset/${randomUUID()}`;
  await noteArchive(db, archive);
  await blobs.adopt(output, archive, signal);
  if (await insertOverview(db, { ...made, datasetId, blob, archive })) return;
  await blobs.remove(archive);
}

async function describe(path: string): Promise<Pick<NewOverview, 'tiles' | 'bytes' | 'lastLevel'> & { tiles: number }> {
  const source = await FileSource.open(path, { checksum: false });
  try {
    const { header } = await TileArchive.open(source);
    return { tiles: header.counts[0], bytes: source.size, lastLevel: header.levels[1] };
  } finally {
    await source.close();
  }
}
