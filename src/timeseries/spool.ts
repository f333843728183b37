import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BLOCK_VALUES, decodeBlock, encodeBlock } from './block.ts';
import type { Cell, Column, Kind, Rows } from './cells.ts';
import type { Row } from './csv.ts';

/** Rows that are sorted together, in memory. */
const RUN_ROWS = 32 * BLOCK_VALUES;

interface Piece {
  offset: number;
  length: number;
}

/**
 * Rows of a request that were read and checked, before they are written to the database: no connection waits for the client. They are packed in
 * a temporary file, in runs of ascending times. A later run wins over earlier ones, and of equal times in a run the last one.
 */
export class Spool {
  readonly #kinds: readonly Kind[];
  readonly #runs: Piece[][] = [];
  readonly #folder: string;
  readonly #file: FileHandle;
  #rows: Rows;
  #size = 0;

  private constructor(kinds: readonly Kind[], folder: string, file: FileHandle) {
    this.#kinds = kinds;
    this.#folder = folder;
    this.#file = file;
    this.#rows = emptyRows(kinds);
  }

  static async open(columns: readonly Column[]): Promise<Spool> {
    const folder = await mkdtemp(join(tmpdir(), 'time-series-'));
    const file = await open(join(folder, 'rows'), 'wx+', 0o600);
    return new Spool(
      columns.map(({ kind }) => kind),
      folder,
      file,
    );
  }

  async fill(rows: AsyncIterable<Row> | Iterable<Row>): Promise<void> {
    for await (const { time, cells } of rows) {
      this.#rows.times.push(time);
      for (const [at, column] of this.#rows.columns.entries()) column.push(cells[at] as Cell);
      if (this.#rows.times.length === RUN_ROWS) await this.#flush();
    }
    await this.#flush();
  }

  async #flush() {
    if (this.#rows.times.length === 0) return;
    const rows = sorted(this.#rows);
    this.#rows = emptyRows(this.#kinds);
    const run: Piece[] = [];
    for (let from = 0; from < rows.times.length; from += BLOCK_VALUES) {
      const data = encodeBlock(rows, this.#kinds, from, Math.min(from + BLOCK_VALUES, rows.times.length));
      await this.#file.write(data, 0, data.length, this.#size);
      run.push({ offset: this.#size, length: data.length });
      this.#size += data.length;
    }
    this.#runs.push(run);
  }

  /** The runs, in the order of the request. */
  async *runs(): AsyncGenerator<Rows> {
    for (const run of this.#runs) {
      const whole = emptyRows(this.#kinds);
      for (const { offset, length } of run) {
        const data = Buffer.alloc(length);
        await this.#file.read(data, 0, length, offset);
        append(whole, decodeBlock(data, this.#kinds));
      }
      yield whole;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export const emptyRows = (kinds: readonly Kind[]): Rows => ({ times: [], columns: kinds.map(() => []) });

export function append(to: Rows, rows: Rows): void {
  for (const time of rows.times) to.times.push(time);
  for (const [at, column] of to.columns.entries()) for (const cell of rows.columns[at] ?? []) column.push(cell);
}

/** By time; of equal times the last row. */
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
