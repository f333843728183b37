import { randomUUID } from 'node:crypto';
import { FileSource } from 'hydrofiles/bytes';
import { append, BLOCK_VALUES, decodeBlock, emptyRows, kindsOf, SeriesFile } from 'hydrofiles/series';
import type { Transaction } from '../db.ts';
import { AppError } from '../errors.ts';
import { type NewBlock, updateExtent } from './blocks.queries.ts';
import { deleteAllSeries, findSchema, insertSchema, insertSeries, listSeries, updateSchema } from './queries.ts';
import { appendBlocks, mergeRows } from './write.ts';

/** Blocks that are merged at a time. */
const BATCH = 32;

/** How the series of a file become those of a dataset. */
export type FileUse = 'new' | 'replaced' | 'appended';

/**
 * Writes the series of a file that a conversion made into a dataset. Nothing else may write the dataset meanwhile: a
 * transfer has it locked, or it does not exist yet, and then the check that it does is left to the end of the
 * transaction.
 */
export async function insertSeriesFile(
  tx: Transaction,
  datasetId: string,
  path: string,
  { use, signal }: { use: FileUse; signal: AbortSignal },
): Promise<void> {
  await using source = await FileSource.open(path, { checksum: false });
  const file = await SeriesFile.open(source);
  if (use === 'appended') return await appendSeries(tx, datasetId, file, signal);
  if (use === 'new') await insertSchema(tx, datasetId, file.schema ?? []);
  else await emptyDataset(tx, datasetId, file);
  for (const [n, { id = randomUUID(), item, properties, dataFields }] of file.series.entries()) {
    const key = await insertSeries(tx, datasetId, { id, item, properties, dataFields });
    if (key === null) throw new Error(`A file has two time series '${id}'.`);
    await appendBlocks(tx, key, watched(file.blocks(n), signal));
    await updateExtent(tx, key);
  }
}

/** Definitions of properties stay unless the file has some. */
async function emptyDataset(tx: Transaction, datasetId: string, { schema }: SeriesFile): Promise<void> {
  if (!(await findSchema(tx, datasetId))) throw gone(datasetId);
  await deleteAllSeries(tx, datasetId);
  if (schema !== undefined) await updateSchema(tx, datasetId, schema);
}

const gone = (datasetId: string) => new AppError('gone', `Dataset '${datasetId}' no longer exists.`);

async function* watched(blocks: ReturnType<SeriesFile['blocks']>, signal: AbortSignal): AsyncGenerator<NewBlock> {
  for await (const { data, ...place } of blocks) {
    signal.throwIfAborted();
    yield { ...place, data: Buffer.from(data.buffer, data.byteOffset, data.length) };
  }
}

/** Adds rows to the series that the file names, whose last block may have room for some. */
async function appendSeries(tx: Transaction, datasetId: string, file: SeriesFile, signal: AbortSignal): Promise<void> {
  const known = new Map((await listSeries(tx, datasetId)).map((series) => [series.id, series]));
  for (const [n, { id = '' }] of file.series.entries()) {
    const series = known.get(id);
    if (series === undefined) throw gone(datasetId);
    const kinds = kindsOf(series);
    let rows = emptyRows(kinds.length);
    for await (const { data } of file.blocks(n)) {
      append(rows, decodeBlock(data, kinds));
      if (rows.times.length < BATCH * BLOCK_VALUES) continue;
      signal.throwIfAborted();
      await mergeRows(tx, series.key, kinds, rows);
      rows = emptyRows(kinds.length);
    }
    await mergeRows(tx, series.key, kinds, rows);
    await updateExtent(tx, series.key);
  }
}
