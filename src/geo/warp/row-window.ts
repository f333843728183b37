import type { Grid, RandomGrid, RowBlock, Slice } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { giveBack } from '../../data/spare-memory.ts';

/** Rows of a slice on their way into memory. */
export interface RowSupply {
  /** Whether rows from this one on can still be had. */
  reaches(row: number): boolean;
  /** Puts rows `from … to - 1` into `into`, the first at `at`. */
  read(from: number, to: number, into: Samples, at: number): Promise<void>;
  /** Pulls what is left, so that whoever counts rows has seen all of them. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Rows in any order. */
export function randomRows(grid: RandomGrid, slice: Slice): RowSupply {
  const { width } = grid;
  const atOnce = Math.max(1, Math.floor(2 ** 18 / width));
  return {
    reaches: () => true,
    async read(from, to, into, at) {
      for (let row = from; row < to; row += atOnce) {
        const samples = await grid.read(slice, row, Math.min(atOnce, to - row));
        into.set(samples, at + (row - from) * width);
        giveBack(samples);
      }
    },
    async drain() {},
    async close() {},
  };
}

/** Rows as they are pulled from front to back, each once. */
export function passingRows(grid: Grid, slice: Slice): RowSupply {
  const { width } = grid;
  const blocks = grid.rows(slice)[Symbol.asyncIterator]();
  let block: RowBlock | undefined;
  let next = 0;
  /** The block with row `next`. */
  async function current(): Promise<RowBlock> {
    while (block === undefined || block.firstRow + block.rowCount <= next) {
      if (block !== undefined) giveBack(block.samples);
      const { done, value } = await blocks.next();
      if (done) throw new Error(`The grid ended before row ${next}.`);
      block = value;
    }
    return block;
  }
  return {
    reaches: (row) => row >= next,
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

interface Size {
  type: SampleType;
  width: number;
  height: number;
  /** Bytes that may be held. */
  memory: number;
  /** Rows that always fit. */
  least: number;
}

/** A window holds this much when no more is needed. */
const usualBytes = 16 << 20;

/**
 * A run of source rows in memory that all threads see, moved along as the target advances. Rows already held are kept, not read again.
 */
export class RowWindow {
  /** Rows that may be asked for at once. */
  readonly capacity: number;
  readonly #size: Size;
  #supply: RowSupply;
  #samples: Samples;
  /** Rows that there is memory for, and the row at its beginning. */
  #rows: number;
  #origin = 0;
  /** Rows `#first … #last - 1` are there. */
  #first = 0;
  #last = 0;

  constructor(supply: RowSupply, size: Size) {
    this.#supply = supply;
    this.#size = size;
    const rowBytes = size.width * sampleArrays[size.type].BYTES_PER_ELEMENT;
    this.capacity = Math.max(size.least, Math.floor(size.memory / rowBytes));
    this.#rows = Math.min(size.height, this.capacity, Math.max(size.least, Math.floor(usualBytes / rowBytes)));
    this.#samples = this.#memory();
  }

  /** Row at the beginning of `samples`. */
  get origin(): number {
    return this.#origin;
  }

  get samples(): Samples {
    return this.#samples;
  }

  /** Whether `load` can get there. */
  reaches(first: number): boolean {
    return (this.#first <= first && first < this.#last) || this.#supply.reaches(first);
  }

  /** From now on rows come from elsewhere. */
  async resupply(open: () => Promise<RowSupply>): Promise<void> {
    await this.#supply.close();
    this.#supply = await open();
  }

  drain(): Promise<void> {
    return this.#supply.drain();
  }

  close(): Promise<void> {
    return this.#supply.close();
  }

  /**
   * Makes rows `first … last - 1` part of the window.
   * @param idle waits until nobody reads the window any more; called before rows move in it
   */
  async load(first: number, last: number, idle: () => Promise<void>): Promise<void> {
    if (first < this.#origin || last > this.#origin + this.#rows) {
      await idle();
      this.#move(first, last);
    }
    const { width } = this.#size;
    const read = (from: number, to: number) =>
      this.#supply.read(from, to, this.#samples, (from - this.#origin) * width);
    if (first > this.#last || last < this.#first) {
      await idle();
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

  /** Lays the memory around rows `first … last - 1`, with as much room before them as behind; keeps rows that it has. */
  #move(first: number, last: number): void {
    const { width, height } = this.#size;
    const before = this.#samples;
    const from = this.#origin;
    if (2 * (last - first) > this.#rows) {
      this.#rows = Math.min(height, Math.max(last - first, Math.min(this.capacity, 3 * (last - first))));
      this.#samples = this.#memory();
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

  #memory(): Samples {
    const { type, width } = this.#size;
    const array = sampleArrays[type];
    const length = this.#rows * width;
    return new array(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT), 0, length);
  }
}
