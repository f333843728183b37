import { pooledSamples, releaseBuffer } from '../../data/buffer-pool.ts';
import type { Grid, RandomGrid, RowBlock, Slice } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';

/** Reads rows of a slice into memory. */
export interface RowReader {
  /** Whether rows from `row` on can still be read. */
  canRead(row: number): boolean;
  /** Copies rows `from … to - 1` into `into`, the first to index `at`. */
  read(from: number, to: number, into: Samples, at: number): Promise<void>;
  /** Pulls the remaining rows, because statistics and progress count the rows that were pulled. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Reads rows in any order. */
export function randomAccessRows(grid: Pick<RandomGrid, 'read' | 'width'>, slice: Slice): RowReader {
  const { width } = grid;
  const atOnce = Math.max(1, Math.floor(2 ** 18 / width));
  return {
    canRead: () => true,
    async read(from, to, into, at) {
      for (let row = from; row < to; row += atOnce) {
        const samples = await grid.read(slice, row, Math.min(atOnce, to - row));
        into.set(samples, at + (row - from) * width);
        releaseBuffer(samples);
      }
    },
    async drain() {},
    async close() {},
  };
}

/** Reads each row once, from the first to the last. */
export function sequentialRows(grid: Grid, slice: Slice): RowReader {
  const { width } = grid;
  const blocks = grid.rows(slice)[Symbol.asyncIterator]();
  let block: RowBlock | undefined;
  let next = 0;
  /** Pulls the block that holds row `next`. */
  async function current(): Promise<RowBlock> {
    while (block === undefined || block.firstRow + block.rowCount <= next) {
      if (block !== undefined) releaseBuffer(block.samples);
      const { done, value } = await blocks.next();
      if (done) throw new Error(`The grid ended before row ${next}.`);
      block = value;
    }
    return block;
  }
  return {
    canRead: (row) => row >= next,
    async read(from, to, into, at) {
      next = from;
      while (next < to) {
        const { firstRow, rowCount, samples } = await current();
        const end = Math.min(to, firstRow + rowCount);
        into.set(samples.subarray((next - firstRow) * width, (end - firstRow) * width), at + (next - from) * width);
        next = end;
      }
    },
    async drain() {
      if (next < grid.height) next = grid.height - 1;
      for (let done: boolean | undefined = next >= grid.height; !done; ) ({ done } = await blocks.next());
    },
    async close() {
      await blocks.return?.();
    },
  };
}

interface WindowSize {
  type: SampleType;
  width: number;
  height: number;
  /** Maximum number of bytes. */
  memory: number;
  /** Rows that the window must hold, whatever memory they take. */
  minRows: number;
  /** Whether other threads read the window. */
  shared: boolean;
  /** Rows that fit into the window at first. Default: those of 16 MB. */
  initialRows?: number;
}

/** Initial size; the window grows when a request needs more. */
const initialBytes = 16 << 20;

/**
 * Consecutive source rows in memory, which all threads may share. The window moves as the target advances; rows that it
 * already holds are not read again.
 */
export class RowWindow {
  /** Maximum number of rows of one `load`. */
  readonly capacity: number;
  readonly #size: WindowSize;
  #reader: RowReader;
  #samples: Samples;
  /** Rows that fit into the memory, and the number of the row at its start. */
  #rows: number;
  #origin = 0;
  /** Rows `#first … #last - 1` are loaded. */
  #first = 0;
  #last = 0;

  constructor(reader: RowReader, size: WindowSize) {
    this.#reader = reader;
    this.#size = size;
    const rowBytes = size.width * sampleArrays[size.type].BYTES_PER_ELEMENT;
    this.capacity = Math.max(size.minRows, Math.floor(size.memory / rowBytes));
    const initial = size.initialRows ?? Math.floor(initialBytes / rowBytes);
    this.#rows = Math.min(size.height, this.capacity, Math.max(size.minRows, initial));
    this.#samples = this.#allocate();
  }

  /** Number of the row at the start of `samples`. */
  get origin(): number {
    return this.#origin;
  }

  get samples(): Samples {
    return this.#samples;
  }

  /** Whether `load` can provide row `first`. */
  canRead(first: number): boolean {
    return (this.#first <= first && first < this.#last) || this.#reader.canRead(first);
  }

  /** Closes the reader and reads later rows with another one. */
  async replaceReader(open: () => Promise<RowReader>): Promise<void> {
    await this.#reader.close();
    this.#reader = await open();
  }

  drain(): Promise<void> {
    return this.#reader.drain();
  }

  /** Ends reading of the window. */
  close(): Promise<void> {
    releaseBuffer(this.#samples);
    return this.#reader.close();
  }

  /**
   * Loads rows `first … last - 1`.
   * @param whenUnused waits until no task reads the window; called before rows move in memory
   */
  async load(first: number, last: number, whenUnused: () => Promise<void>): Promise<void> {
    if (first < this.#origin || last > this.#origin + this.#rows) {
      await whenUnused();
      this.#move(first, last);
    }
    const { width } = this.#size;
    const read = (from: number, to: number) =>
      this.#reader.read(from, to, this.#samples, (from - this.#origin) * width);
    if (first > this.#last || last < this.#first) {
      await whenUnused();
      this.#first = this.#last = first;
    }
    if (last > this.#last) {
      await read(this.#last, last);
      this.#last = last;
    }
    if (first < this.#first) {
      await read(first, this.#first);
      this.#first = first;
    }
  }

  /**
   * Centres the window on rows `first … last - 1` and keeps the loaded rows that are still inside. Grows the memory if
   * needed.
   */
  #move(first: number, last: number): void {
    const { width, height } = this.#size;
    const before = this.#samples;
    const from = this.#origin;
    if (2 * (last - first) > this.#rows) {
      this.#rows = Math.min(height, Math.max(last - first, Math.min(this.capacity, 3 * (last - first))));
      this.#samples = this.#allocate();
    }
    const spare = this.#rows - (last - first);
    this.#origin = Math.max(0, Math.min(first - (spare >> 1), height - this.#rows));
    const kept = {
      first: Math.max(this.#first, this.#origin),
      last: Math.min(this.#last, this.#origin + this.#rows),
    };
    if (kept.first < kept.last) {
      const part = before.subarray((kept.first - from) * width, (kept.last - from) * width);
      this.#samples.set(part, (kept.first - this.#origin) * width);
      this.#first = kept.first;
      this.#last = kept.last;
    } else this.#first = this.#last = first;
  }

  #allocate(): Samples {
    const { type, width, shared } = this.#size;
    const array = sampleArrays[type];
    const length = this.#rows * width;
    if (!shared) return pooledSamples(type, length);
    return new array(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT), 0, length);
  }
}
