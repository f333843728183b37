import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { FileSink } from 'hydrofiles/bytes';
import { BLOCK_VALUES, SeriesFileWriter } from 'hydrofiles/series';
import type { FileThreads, PreparedFile } from '../datasets/files/file-threads.ts';
import type { Database, Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { beginSnapshot, listBlocks, sumBlocks } from './blocks.queries.ts';
import { MOST_BYTES, MOST_VALUES, tooManyBytes, tooManyValues } from './files/limits.ts';
import type { SeriesInput } from './files/write-series.ts';
import type { SeriesRow } from './queries.ts';
import { toSeries } from './series.ts';
import { type Interval, seriesWithIds } from './values.ts';

/** Blocks per statement. */
const WINDOW = 32;

export interface SeriesFileAnswer {
  readonly format: SeriesInput['format'];
  readonly caller: Caller;
  /** Id of the dataset. */
  readonly id: string;
  readonly tsIds: readonly string[];
  readonly interval: Interval;
}

/**
 * Sends values of series as a file, which is one state of the dataset, whatever is written meanwhile. The caller must
 * see the dataset and its series when the request comes, and again when it is its turn.
 */
export async function sendSeriesFile(
  { db, files }: { db: Database; files: FileThreads },
  reply: FastifyReply,
  { format, caller, id, tsIds, interval }: SeriesFileAnswer,
): Promise<never> {
  const wanted = { id, tsIds: [...new Set(tsIds)] };
  const { name } = await seriesWithIds(db, caller, wanted);
  return files.send<SeriesInput>(reply, {
    format,
    tenant: caller.tenantId ?? caller.userId,
    name,
    module: new URL('./files/write-series.ts', import.meta.url),
    async prepare(scratch, signal): Promise<PreparedFile<SeriesInput>> {
      const path = join(scratch, 'series');
      const series = await db.transaction(async (tx) => {
        await beginSnapshot(tx);
        const found = await seriesWithIds(tx, caller, wanted);
        await copyBlocks(tx, path, found.series, interval, signal);
        return found.series;
      });
      return { input: { path, format, series: series.map(toSeries), ...interval } };
    },
  });
}

/** Copies the blocks with values in the interval to a local file. */
async function copyBlocks(
  tx: Transaction,
  path: string,
  series: readonly SeriesRow[],
  { from, to }: Interval,
  signal: AbortSignal,
): Promise<void> {
  const keys = series.map(({ key }) => key);
  const { rows, bytes } = await sumBlocks(tx, keys, from, to);
  // the first and last block of a series may have rows beyond the interval
  if (rows > MOST_VALUES + 2 * BLOCK_VALUES * keys.length) throw tooManyValues();
  if (bytes > MOST_BYTES) throw tooManyBytes(bytes);
  await using sink = await FileSink.create(path, { checksum: false });
  const file = new SeriesFileWriter(sink);
  for (const { key, ...definition } of series) {
    const n = file.addSeries(definition);
    for (let next = from; next <= to; ) {
      signal.throwIfAborted();
      const blocks = await listBlocks(tx, key, next, to, WINDOW);
      for (const block of blocks) await file.addBlock(n, { ...block, count: 0 });
      const last = blocks.at(-1)?.last;
      if (last === undefined || blocks.length < WINDOW) break;
      next = last + 1n;
    }
  }
  await file.end(undefined);
  await sink.flush();
}
