import { isDeepStrictEqual } from 'node:util';
import { type Kind, openBlock } from 'hydrofiles/series';
import type { Database, Reads, Transaction } from '../db.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { Piece } from '../http/answers/pieces.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from '../projects/access.ts';
import { findLastTime, listBlocks, updateExtent } from './blocks.queries.ts';
import { columnsOf, type SeriesColumn } from './cells.ts';
import { parseTime } from './clock.ts';
import type { Row } from './csv.ts';
import { visibleSchema, writeSeries } from './dataset.ts';
import { listSeriesById, type SeriesRow } from './queries.ts';
import { RowText } from './row-text.ts';
import { knownSeries, type SeriesAddress } from './series.ts';
import { Spool } from './spool.ts';
import { appendBlocks, deleteRows, mergeRows } from './write.ts';

/** An interval of time, both ends included. */
export interface Interval {
  from: bigint;
  to: bigint;
}

/** Ends of an interval without bounds: all that Postgres' bigint holds. */
const ENDS: Interval = { from: -(2n ** 63n), to: 2n ** 63n - 1n };
/** Blocks per statement of a read. */
const WINDOW = 32;

/** The interval of a request, from times in wire form. */
export function parseInterval({ from, to }: { from?: string | undefined; to?: string | undefined }): Interval {
  const micros = (text: string | undefined) => (text === undefined ? undefined : parseTime(text));
  const interval = { from: micros(from) ?? ENDS.from, to: micros(to) ?? ENDS.to };
  if (interval.from > interval.to) throw invalid(`from (${from}) is after to (${to}). Exchange them.`);
  return interval;
}

/**
 * Writes rows that a request sends, all or none. They are read and checked completely before the transaction begins: no
 * connection waits for the client.
 */
export async function uploadRows(
  db: Database,
  caller: Caller,
  address: SeriesAddress,
  read: (columns: SeriesColumn[]) => AsyncIterable<Iterable<Row>> | Iterable<Iterable<Row>>,
): Promise<void> {
  const { dataset } = await visibleSchema(db, caller, address.id);
  requireCapability({ ...dataset, id: dataset.projectId }, 'canUpdateContent');
  const columns = columnsOf(await knownSeries(db, address));
  const kinds = columns.map(({ kind }) => kind);
  await using spool = new Spool(columns);
  await spool.fill(read(columns));
  await writeSeries(db, caller, address.id, async (tx) => {
    const series = await knownSeries(tx, address);
    if (!isDeepStrictEqual(columnsOf(series), columns))
      throw conflict(`Time series '${address.tsId}' was replaced by another one during the upload. Send it again.`);
    await writeRows(tx, series.key, kinds, spool);
    await updateExtent(tx, series.key);
  });
}

/** Values at the end of a series, as they mostly are, are not packed twice. */
async function writeRows(tx: Transaction, key: number, kinds: readonly Kind[], spool: Spool): Promise<void> {
  if (!spool.follows(await findLastTime(tx, key))) {
    for await (const rows of spool.runs()) await mergeRows(tx, key, kinds, rows);
    return;
  }
  await appendBlocks(tx, key, spool.blocks());
  await mergeRows(tx, key, kinds, spool.rest);
}

/** Returns the number of deleted values. */
export const deleteValues = (
  db: Database,
  caller: Caller,
  address: SeriesAddress,
  interval: Interval,
): Promise<number> =>
  writeSeries(db, caller, address.id, async (tx) => {
    const series = await knownSeries(tx, address);
    const kinds = columnsOf(series).map(({ kind }) => kind);
    const deleted = await deleteRows(tx, series.key, kinds, interval);
    await updateExtent(tx, series.key);
    return deleted;
  });

/** The values of a series as JSON, in pieces. */
export const readValues = (db: Reads, series: SeriesRow, interval: Interval): AsyncGenerator<Piece> =>
  around(rowTexts(db, series, interval));

/** The series with these ids, in their order. */
export async function seriesWithIds(
  db: Reads,
  caller: Caller,
  { id, tsIds }: { id: string; tsIds: readonly string[] },
): Promise<{ name: string; series: SeriesRow[] }> {
  const { dataset } = await visibleSchema(db, caller, id);
  const known = new Map((await listSeriesById(db, id, tsIds)).map((series) => [series.id, series]));
  const series = tsIds.map((tsId) => {
    const found = known.get(tsId);
    if (!found) throw notFound('Time series', tsId);
    return found;
  });
  return { name: dataset.name, series };
}

/** The values of several series as JSON, in their order. */
export function readValuesOfAll(db: Reads, found: readonly SeriesRow[], interval: Interval): AsyncGenerator<Piece> {
  async function* all() {
    for (const [at, series] of found.entries()) {
      if (at > 0) yield ',';
      yield* rowTexts(db, series, interval);
    }
  }
  return around(list(all()));
}

async function* around(data: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  yield '{"data":';
  yield* data;
  yield '}';
}

async function* list(items: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  yield '[';
  yield* items;
  yield ']';
}

/** A list of rows, a block at a time. Not a snapshot: a change during a long read may be in its later part. */
async function* rowTexts(db: Reads, series: SeriesRow, { from, to }: Interval): AsyncGenerator<Piece> {
  const columns = columnsOf(series);
  const kinds = columns.map(({ kind }) => kind);
  yield '[';
  const text = new RowText(columns);
  let isFirst = true;
  for (let next = from; next <= to; ) {
    const blocks = await listBlocks(db, series.key, next, to, WINDOW);
    for (const { data } of blocks) {
      const rows = text.of(openBlock(data, kinds), next, to);
      if (rows.length === 0) continue;
      if (!isFirst) yield ',';
      yield rows;
      isFirst = false;
    }
    const last = blocks.at(-1)?.last;
    if (last === undefined || blocks.length < WINDOW) break;
    next = last + 1n;
  }
  yield ']';
}
