import {
  append,
  BLOCK_VALUES,
  type Cell,
  decodeBlock,
  emptyRows,
  encodeBlock,
  type Kind,
  type Rows,
} from 'hydrofiles/series';
import type { Transaction } from '../db.ts';
import {
  type BlockSpan,
  deleteBlocks,
  findNextStart,
  insertBlocks,
  listPlaces,
  type NewBlock,
  readBlock,
} from './blocks.queries.ts';

/** Blocks per statement. */
const BATCH = 32;

/**
 * Adds packed rows after the last ones of a series. The dataset's row must be locked, or a transfer have the dataset.
 */
export async function appendBlocks(tx: Transaction, key: number, blocks: AsyncIterable<NewBlock>): Promise<void> {
  let batch: NewBlock[] = [];
  for await (const block of blocks) {
    batch.push(block);
    if (batch.length < BATCH) continue;
    await insertBlocks(tx, key, batch);
    batch = [];
  }
  if (batch.length > 0) await insertBlocks(tx, key, batch);
}

/**
 * Writes rows of ascending times into a series; of equal times the new row wins. Rewrites only blocks whose interval
 * the rows touch. The dataset's row must be locked.
 */
export async function mergeRows(tx: Transaction, key: number, kinds: readonly Kind[], rows: Rows): Promise<void> {
  const [first, last] = [rows.times[0], rows.times.at(-1)];
  if (first === undefined || last === undefined) return;
  const places = await placesFor(tx, key, first, last);
  const output = new Output(tx, key, kinds);
  let at = 0;
  for (const [index, block] of places.entries()) {
    const nextStart =
      places[index + 1]?.first ?? (await findNextStart(tx, key, block && block.first > last ? block.first : last));
    const end = nextStart === null ? rows.times.length : firstFrom(rows.times, nextStart, at);
    const mine = slice(rows, at, end);
    at = end;
    if (mine.times.length === 0) continue;
    // the new rows follow a full block, which stays as it is
    if (block && isFull(block, mine)) await output.add(mine, nextStart === null);
    else if (block) {
      const { data } = await readBlock(tx, key, block.first);
      output.drop(block.first);
      await output.add(merged(decodeBlock(data, kinds), mine), nextStart === null);
    } else await output.add(mine, nextStart === null);
  }
  await output.end();
}

/**
 * Blocks that take the rows up to the start of the next one. Undefined: a new one for the rows before the first block,
 * unless that has room. A series that is written backwards, value by value, would else have a block for each.
 */
async function placesFor(
  tx: Transaction,
  key: number,
  first: bigint,
  last: bigint,
): Promise<(BlockSpan | undefined)[]> {
  const places = await listPlaces(tx, key, first, last);
  const [start] = places;
  if (start && start.first <= first) return [...places];
  const nextStart = start?.first ?? (await findNextStart(tx, key, last));
  const next = start ?? (nextStart === null ? undefined : (await listPlaces(tx, key, nextStart, nextStart))[0]);
  if (next === undefined || next.count >= BLOCK_VALUES) return [undefined, ...places];
  return [next, ...places.slice(1)];
}

const isFull = ({ last, count }: BlockSpan, rows: Rows) => count >= BLOCK_VALUES && (rows.times[0] as bigint) > last;

/**
 * Deletes the values of an interval, both ends included, and returns their number. The dataset's row must be locked.
 */
export async function deleteRows(
  tx: Transaction,
  key: number,
  kinds: readonly Kind[],
  { from, to }: { from: bigint; to: bigint },
): Promise<number> {
  let deleted = 0;
  const output = new Output(tx, key, kinds);
  for (const block of await listPlaces(tx, key, from, to)) {
    if (block.last < from) continue;
    if (block.first < from || block.last > to) {
      const { times, columns } = decodeBlock((await readBlock(tx, key, block.first)).data, kinds);
      const keep = (_: unknown, at: number) => (times[at] as bigint) < from || (times[at] as bigint) > to;
      const kept = { times: times.filter(keep), columns: columns.map((cells) => cells.filter(keep)) };
      // no value may lie inside of the interval
      if (kept.times.length === times.length) continue;
      deleted += times.length - kept.times.length;
      output.drop(block.first);
      await output.add(kept, false);
    } else {
      deleted += block.count;
      output.drop(block.first);
    }
  }
  await output.end();
  return deleted;
}

/** Collects changes of blocks and writes them in batches. */
class Output {
  readonly #tx: Transaction;
  readonly #key: number;
  readonly #kinds: readonly Kind[];
  #dropped: bigint[] = [];
  #made: NewBlock[] = [];

  constructor(tx: Transaction, key: number, kinds: readonly Kind[]) {
    this.#tx = tx;
    this.#key = key;
    this.#kinds = kinds;
  }

  drop(first: bigint) {
    this.#dropped.push(first);
  }

  /**
   * Packs rows; at the end of the series into full blocks, elsewhere into equal ones, so that inserts leave no tiny
   * ones.
   */
  async add(rows: Rows, atEnd: boolean) {
    const total = rows.times.length;
    const size = atEnd ? BLOCK_VALUES : Math.ceil(total / Math.ceil(total / BLOCK_VALUES));
    for (let from = 0; from < total; from += size) {
      const to = Math.min(from + size, total);
      this.#made.push({
        first: rows.times[from] as bigint,
        last: rows.times[to - 1] as bigint,
        count: to - from,
        data: encodeBlock(rows, this.#kinds, from, to),
      });
      if (this.#made.length >= BATCH) await this.end();
    }
    if (this.#dropped.length >= BATCH) await this.end();
  }

  async end() {
    // first: new blocks may begin where dropped ones did
    if (this.#dropped.length > 0) await deleteBlocks(this.#tx, this.#key, this.#dropped);
    if (this.#made.length > 0) await insertBlocks(this.#tx, this.#key, this.#made);
    this.#dropped = [];
    this.#made = [];
  }
}

/** Index of the first time from `start` on. */
function firstFrom(times: readonly bigint[], start: bigint, low: number): number {
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as bigint) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

const slice = ({ times, columns }: Rows, from: number, to: number): Rows => ({
  times: times.slice(from, to),
  columns: columns.map((cells) => cells.slice(from, to)),
});

/** Merges rows in ascending order; of equal times the new row wins. */
function merged(old: Rows, added: Rows): Rows {
  if ((added.times[0] as bigint) > (old.times.at(-1) as bigint)) {
    append(old, added);
    return old;
  }
  const made = emptyRows(old.columns.length);
  const take = (rows: Rows, at: number) => {
    made.times.push(rows.times[at] as bigint);
    for (const [column, cells] of made.columns.entries()) cells.push(rows.columns[column]?.[at] as Cell);
  };
  let [one, two] = [0, 0];
  while (one < old.times.length || two < added.times.length) {
    const [before, next] = [old.times[one], added.times[two]];
    if (next === undefined || (before !== undefined && before < next)) take(old, one++);
    else {
      if (before === next) one += 1;
      take(added, two++);
    }
  }
  return made;
}
