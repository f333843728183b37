import type { Grid, RandomGrid, RowBlock, Slice } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { ConversionError } from '../../errors.ts';
import { RowWindow, randomAccessRows, sequentialRows } from '../warp/row-window.ts';

/** Maximum number of bytes of source rows in memory. */
const MOST_BYTES = 256 << 20;
/** Maximum number of bytes of a slice that is held as a whole where rows are needed again. */
const WHOLE_BYTES = 128 << 20;

/** Consecutive rows of a slice in memory: row r begins at `(r - first) * width` of `samples`. */
export class HeldRows {
  readonly width: number;
  readonly height: number;
  first = 0;
  samples: Samples;
  readonly #slice: Slice;
  readonly #randomAccess: () => Promise<RandomGrid>;
  readonly #window: RowWindow;

  /** @param randomAccess gives the same grid with random access, when an earlier row is needed again */
  constructor(grid: Grid, slice: Slice, type: SampleType, randomAccess: () => Promise<RandomGrid>) {
    const { width, height } = grid;
    this.width = width;
    this.height = height;
    this.#slice = slice;
    this.#randomAccess = randomAccess;
    const reader = grid.read === undefined ? sequentialRows(grid, slice) : randomAccessRows(grid as RandomGrid, slice);
    this.#window = new RowWindow(reader, { type, width, height, memory: MOST_BYTES, minRows: 4, shared: false });
    this.samples = this.#window.samples;
  }

  /** Number of rows that may be held at once. */
  get most(): number {
    return this.#window.capacity;
  }

  /**
   * Holds at least the rows `from … to - 1`.
   * @throws ConversionError if they are too many for the memory
   */
  async hold(from: number, to: number): Promise<void> {
    const window = this.#window;
    if (to - from > window.capacity)
      throw new ConversionError(
        `A cell of the output needs ${to - from} rows of the input at once, more than fit into memory. Resample to smaller cells first, then to those.`,
      );
    if (!window.canRead(from))
      await window.replaceReader(async () => randomAccessRows(await this.#randomAccess(), this.#slice));
    await window.load(from, to, async () => {});
    this.samples = window.samples;
    this.first = window.origin;
  }

  /** Holds all rows if they are few, so that rows that are needed often are read once. */
  async holdAll(): Promise<void> {
    const { width, height, samples } = this;
    if (width * height * samples.BYTES_PER_ELEMENT <= WHOLE_BYTES) await this.hold(0, height);
  }

  /** Pulls the other rows: statistics of the input are those of all rows. */
  drain(): Promise<void> {
    return this.#window.drain();
  }

  close(): Promise<void> {
    return this.#window.close();
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
