import { decodeBlock, decodeTimes } from './block.ts';
import type { Cell, Kind } from './rows.ts';
import type { FiledBlock, SeriesFile } from './series-file.ts';

/** Rows of a series in a window of time: times in microseconds from a base, and columns of values; null: no value. */
interface Part {
  times: Float64Array;
  columns: readonly (readonly Cell[])[];
}

/** Times that some of the series have, each once, and the rows of each series at them. */
export interface MergedRows {
  times: Float64Array;
  parts: readonly Part[];
}

/** A series to read: its number in the file and the kinds of its columns, the value first. */
export interface Chosen {
  series: number;
  kinds: readonly Kind[];
}

/** Which rows are read, and what of them. */
interface WantedRows {
  /** Microseconds since 1970 from which times count; not after the first row of any series. */
  readonly base: bigint;
  /** False: only times are read. */
  readonly values: boolean;
  /** First and last time, both included; absent: all rows. */
  readonly interval?: { readonly from: bigint; readonly to: bigint };
}

/**
 * Goes through several series in the order of time, a window at a time: the first one of the current blocks to end is
 * where a window ends.
 */
export async function* windows(
  file: SeriesFile,
  chosen: readonly Chosen[],
  wanted: WantedRows,
): AsyncGenerator<MergedRows> {
  const cursors = chosen.map((one) => new Cursor(file.blocks(one.series), one.kinds, wanted));
  try {
    for (;;) {
      let end = Infinity;
      for (const cursor of cursors) end = Math.min(end, await cursor.end());
      if (end === Infinity) return;
      const parts = cursors.map((cursor) => cursor.take(end));
      yield { times: mergeTimes(parts.map(({ times }) => times)), parts };
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

const NOTHING: Part = { times: new Float64Array(0), columns: [] };

class Cursor {
  readonly #blocks: AsyncGenerator<FiledBlock>;
  readonly #kinds: readonly Kind[];
  readonly #wanted: WantedRows;
  #part: Part = NOTHING;
  #at = 0;

  constructor(blocks: AsyncGenerator<FiledBlock>, kinds: readonly Kind[], wanted: WantedRows) {
    this.#blocks = blocks;
    this.#kinds = kinds;
    this.#wanted = wanted;
  }

  /** Last time of the current block; Infinity after the last block. */
  async end(): Promise<number> {
    while (this.#at >= this.#part.times.length) {
      const next = await this.#blocks.next();
      if (next.done) return Infinity;
      this.#part = this.#partOf(next.value.data);
      this.#at = 0;
    }
    return this.#part.times.at(-1)!;
  }

  #partOf(data: Uint8Array): Part {
    const { base, values, interval } = this.#wanted;
    const { times, columns } = values ? decodeBlock(data, this.#kinds) : { times: decodeTimes(data), columns: [] };
    let [first, end] = [0, times.length];
    if (interval !== undefined) {
      while (first < end && times[first]! < interval.from) first++;
      while (end > first && times[end - 1]! > interval.to) end--;
    }
    return {
      times: Float64Array.from({ length: end - first }, (_, n) => Number(times[first + n]! - base)),
      columns: columns.map((column) => column.slice(first, end)),
    };
  }

  /** The rows up to this time. */
  take(end: number): Part {
    const { times, columns } = this.#part;
    const from = this.#at;
    let to = from;
    while (to < times.length && times[to]! <= end) to++;
    this.#at = to;
    if (to === from) return NOTHING;
    return { times: times.subarray(from, to), columns: columns.map((column) => column.slice(from, to)) };
  }

  async close(): Promise<void> {
    await this.#blocks.return(undefined);
  }
}

/** All numbers of ascending lists, ascending and each once. */
function mergeTimes(lists: readonly Float64Array[]): Float64Array {
  let union = NOTHING.times;
  for (const list of lists) union = isWithin(list, union) ? union : merged(union, list);
  return union;
}

/** Series often have the same times. */
function isWithin(list: Float64Array, union: Float64Array): boolean {
  if (list.length > union.length) return false;
  let at = 0;
  for (const value of list) {
    while (at < union.length && union[at]! < value) at++;
    if (union[at] !== value) return false;
  }
  return true;
}

function merged(one: Float64Array, other: Float64Array): Float64Array {
  if (one.length === 0) return other;
  const made = new Float64Array(one.length + other.length);
  let [a, b, to] = [0, 0, 0];
  while (a < one.length || b < other.length) {
    const [left, right] = [one[a] ?? Infinity, other[b] ?? Infinity];
    made[to++] = Math.min(left, right);
    if (left <= right) a++;
    if (right <= left) b++;
  }
  return made.subarray(0, to);
}
