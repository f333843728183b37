import type { Grid, RandomGrid, RowBlock, Slice } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { ConversionError } from '../../errors.ts';
import { type RowReader, randomAccessRows, sequentialRows } from '../warp/row-window.ts';

/** Maximum number of bytes of source rows in memory. */
const MOST_BYTES = 256 << 20;

/** Consecutive rows of a slice in memory: row r begins at `(r - first) * width` of `samples`. */
export class HeldRows {
  readonly width: number;
  readonly height: number;
  /** The rows that are in memory: `first … end - 1`. */
  first = 0;
  end = 0;
  samples: Samples;
  readonly #slice: Slice;
  readonly #randomAccess: () => Promise<RandomGrid>;
  #reader: RowReader;

  /** @param randomAccess gives the same grid with random access, when an earlier row is needed again */
  constructor(grid: Grid, slice: Slice, type: SampleType, randomAccess: () => Promise<RandomGrid>) {
    this.width = grid.width;
    this.height = grid.height;
    this.samples = new sampleArrays[type](0);
    this.#slice = slice;
    this.#randomAccess = randomAccess;
    this.#reader = grid.read === undefined ? sequentialRows(grid, slice) : randomAccessRows(grid as RandomGrid, slice);
  }

  /** Number of rows that may be held at once. */
  get most(): number {
    return Math.max(4, Math.floor(MOST_BYTES / (this.width * this.samples.BYTES_PER_ELEMENT)));
  }

  /**
   * Holds at least the rows `from … to - 1`.
   * @throws ConversionError if they are too many for the memory
   */
  async hold(from: number, to: number): Promise<void> {
    if (from >= this.first && to <= this.end) return;
    const { width } = this;
    if (to - from > this.most)
      throw new ConversionError(
        `A cell of the output needs ${to - from} rows of the input at once, more than fit into memory. Resample to smaller cells first, then to those.`,
      );
    // rows that are there already stay
    const kept = from >= this.first && from < this.end ? this.samples.slice((from - this.first) * width) : undefined;
    const there = kept === undefined ? from : this.end;
    if (!this.#reader.canRead(there)) {
      const random = await this.#randomAccess();
      await this.#reader.close();
      this.#reader = randomAccessRows(random, this.#slice);
    }
    const array = this.samples.constructor as new (length: number) => Samples;
    const samples = new array((to - from) * width);
    if (kept !== undefined) samples.set(kept);
    await this.#reader.read(there, to, samples, (there - from) * width);
    Object.assign(this, { samples, first: from, end: to });
  }

  /** Pulls the other rows: statistics of the input are those of all rows. */
  drain(): Promise<void> {
    return this.#reader.drain();
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

/** Cells of a block of rows that is yielded. */
const blockCells = 1 << 18;

/** Numbers of rows of blocks of a grid. */
export function* blocksOf(
  width: number,
  first: number,
  end: number,
): Generator<Pick<RowBlock, 'firstRow' | 'rowCount'>> {
  const most = Math.max(1, Math.floor(blockCells / width));
  for (let firstRow = first; firstRow < end; firstRow += most)
    yield { firstRow, rowCount: Math.min(most, end - firstRow) };
}
