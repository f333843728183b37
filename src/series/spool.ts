import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import type { BlockSpan, NewBlock } from './blocks.queries.ts';
import type { SeriesColumn } from './cells.ts';
import type { Row } from './csv.ts';

/** Rows that are sorted together, in memory. */
const RUN_ROWS = 32 * BLOCK_VALUES;

interface Piece extends BlockSpan {
  offset: number;
  length: number;
}

/**
 * Rows of a request that were read and checked, before they are written to the database: no connection waits for the
 * client. They are kept in runs of ascending times: the last one in memory, so that a request of one run reads no file
 * inside of the transaction; those before it packed in a temporary file. A later run wins over earlier ones, and of
 * equal times in a run the last one.
 */
export class Spool {
  readonly #kinds: readonly Kind[];
  readonly #runs: Piece[][] = [];
  #folder: string | undefined;
  #file: FileHandle | undefined;
  #rows: Rows;
  #size = 0;

  constructor(columns: readonly SeriesColumn[]) {
    this.#kinds = columns.map(({ kind }) => kind);
    this.#rows = emptyRows(this.#kinds.length);
  }

  /** @param pieces rows in the order of the request */
  async fill(pieces: AsyncIterable<Iterable<Row>> | Iterable<Iterable<Row>>): Promise<void> {
    for await (const rows of pieces)
      for (const { time, cells } of rows) {
        if (this.#rows.times.length === RUN_ROWS) await this.#spill();
        this.#rows.times.push(time);
        const { columns } = this.#rows;
        for (let at = 0; at < columns.length; at++) columns[at]?.push(cells[at] ?? null);
      }
    this.#rows = sorted(this.#rows);
  }

  async #spill() {
    const file = this.#file ?? (await this.#open());
    this.#file = file;
    const rows = sorted(this.#rows);
    this.#rows = emptyRows(this.#kinds.length);
    const run: Piece[] = [];
    for (let from = 0; from < rows.times.length; from += BLOCK_VALUES) {
      const to = Math.min(from + BLOCK_VALUES, rows.times.length);
      const data = encodeBlock(rows, this.#kinds, from, to);
      await file.appendFile(data);
      const place = { first: rows.times[from] as bigint, last: rows.times[to - 1] as bigint, count: to - from };
      run.push({ ...place, offset: this.#size, length: data.length });
      this.#size += data.length;
    }
    this.#runs.push(run);
  }

  async #open(): Promise<FileHandle> {
    this.#folder = await mkdtemp(join(tmpdir(), 'time-series-'));
    return open(join(this.#folder, 'rows'), 'wx+', 0o600);
  }

  /**
   * Whether all times follow this one and those of each run those of the run before, so that what is packed can stay
   * so.
   */
  follows(time: bigint | null): boolean {
    let last = time;
    for (const { first, last: end } of this.#runs.flat()) {
      if (last !== null && first <= last) return false;
      last = end;
    }
    const first = this.#rows.times[0];
    return first === undefined || last === null || first > last;
  }

  /** The packed rows; `rest` are those after them. */
  async *blocks(): AsyncGenerator<NewBlock> {
    for (const piece of this.#runs.flat()) {
      const { first, last, count } = piece;
      yield { first, last, count, data: await this.#read(piece) };
    }
  }

  get rest(): Rows {
    return this.#rows;
  }

  /** The runs, in the order of the request. */
  async *runs(): AsyncGenerator<Rows> {
    for (const run of this.#runs) {
      const whole = emptyRows(this.#kinds.length);
      for (const piece of run) append(whole, decodeBlock(await this.#read(piece), this.#kinds));
      yield whole;
    }
    yield this.#rows;
  }

  async #read({ offset, length }: Piece): Promise<Buffer> {
    const data = Buffer.alloc(length);
    const { bytesRead } = (await this.#file?.read(data, 0, length, offset)) ?? { bytesRead: 0 };
    if (bytesRead !== length)
      throw new Error(`The temporary file of an upload has ${bytesRead} of ${length} bytes at ${offset}.`);
    return data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Rows in the order of time; of equal times only the last row. */
function sorted(rows: Rows): Rows {
  const { times, columns } = rows;
  if (times.every((time, at) => at === 0 || (times[at - 1] as bigint) < time)) return rows;
  const order = times.map((_, at) => at);
  const before = (one: number, two: number) => {
    const [a, b] = [times[one] as bigint, times[two] as bigint];
    return a < b ? -1 : a > b ? 1 : one - two;
  };
  order.sort(before);
  const kept = order.filter((at, place) => {
    const next = order[place + 1];
    return next === undefined || times[next] !== times[at];
  });
  return {
    times: kept.map((at) => times[at] as bigint),
    columns: columns.map((column) => kept.map((at) => column[at] as Cell)),
  };
}
