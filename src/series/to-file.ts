import { FileSink } from 'hydrofiles/bytes';
import { type FiledBlock, SeriesFileWriter } from 'hydrofiles/series';
import type { Database, Transaction } from '../db.ts';
import { beginSnapshot, listExtents, listNextBlocks } from './blocks.queries.ts';
import { findSchema, listSeries } from './queries.ts';

/** Blocks per statement. */
const WINDOW = 64;

/**
 * Copies the series of a dataset into a local file, for a conversion. The file is one state of the dataset, whatever is
 * written meanwhile.
 * @param values false: only definitions and extents of the series
 * @returns false if the dataset does not exist
 */
export const writeSeriesFile = (
  db: Database,
  datasetId: string,
  path: string,
  { values, signal }: { values: boolean; signal: AbortSignal },
): Promise<boolean> =>
  db.transaction(async (tx) => {
    await beginSnapshot(tx);
    const found = await findSchema(tx, datasetId);
    if (!found) return false;
    const extents = new Map((await listExtents(tx, datasetId)).map(({ key, ...extent }) => [key, extent]));
    await using sink = await FileSink.create(path, { checksum: false });
    const file = new SeriesFileWriter(sink);
    for (const { key, ...definition } of await listSeries(tx, datasetId)) {
      const n = file.addSeries({ ...definition, present: extents.get(key) ?? { rows: 0 } });
      if (values) await copyBlocks(tx, key, (block) => file.addBlock(n, block), signal);
    }
    await file.end(found.schema);
    await sink.flush();
    return true;
  });

async function copyBlocks(
  tx: Transaction,
  key: number,
  add: (block: FiledBlock) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let after: bigint | null = null; ; ) {
    signal.throwIfAborted();
    const blocks: readonly FiledBlock[] = await listNextBlocks(tx, key, after, WINDOW);
    for (const block of blocks) await add(block);
    const last = blocks.at(-1);
    if (last === undefined || blocks.length < WINDOW) return;
    after = last.first;
  }
}
