import { pooledBytes } from '../../data/buffer-pool.ts';
import type { RandomGrid, RowBlock, Slice, TypedGrid } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { type ApproximateTransform, approximateTransform, largestSquare } from './approximate-transformer.ts';
import type { GridGeometry } from './image-transformer.ts';
import type { Kernel, SourceWindow } from './resample.ts';
import { RowWindow, randomAccessRows, sequentialRows } from './row-window.ts';
import { upperRowsOf, type WarpTask } from './warp-task.ts';
import { currentThread, type WarpThreads } from './warp-threads.ts';

/** Target cells of one task. Smaller tasks are not worth a message to another thread. */
const taskCells = 1 << 17;
/** Bytes of a block of target rows whose source rows do not fit into the window at once. */
const tallBlockBytes = 64 << 20;

/** Source pixels of the cells of a target grid. */
export interface PixelTransformer {
  readonly target: GridGeometry;
  /**
   * Replaces target coordinates by source pixels (corner based, fractional), or NaN where a point cannot be
   * transformed.
   */
  toPixels(x: Float64Array, y: Float64Array, count: number): void;
}

/** Some columns of a source. */
export interface SourcePart extends Pick<RandomGrid, 'read'> {
  /** The first column. */
  readonly left: number;
  /** Number of columns, which `read` returns. */
  readonly width: number;
  /** Number of rows that all pixels need, more or less. */
  readonly rows: number;
}

interface WarpInput {
  transformer: PixelTransformer;
  source: TypedGrid;
  slice: Slice;
  /** Columns of the source that have all pixels. Absent: all columns. */
  part?: SourcePart;
  /** The source pixels of all rows, if they were computed before. */
  known?: ApproximateTransform;
  /** The source with random access. */
  randomAccess(): Promise<RandomGrid>;
}

interface WarpSettings {
  type: SampleType;
  /** Value of cells without data. */
  nodata: number;
  kernel: Kernel;
  /** Maximum number of bytes of source rows in memory. */
  memory: number;
  threads: WarpThreads;
}

/** Target rows that threads are computing. */
interface PendingBlock {
  firstRow: number;
  rowCount: number;
  samples: Promise<Samples>;
}

/**
 * Computes one slice of the target from its first row to its last. This thread transforms coordinates and reads source
 * rows; the warp threads resample several blocks at a time. Blocks are yielded in row order.
 */
export class WarpRows {
  readonly #input: WarpInput;
  readonly #settings: WarpSettings;
  readonly #window: RowWindow;
  readonly #pending: PendingBlock[] = [];

  constructor(input: WarpInput, settings: WarpSettings) {
    this.#input = input;
    this.#settings = settings;
    const { source, slice, part } = input;
    const { height } = source;
    const { width } = part ?? source;
    const { type, memory, kernel } = settings;
    const random = part ?? (isRandom(source) ? source : undefined);
    const reader = random === undefined ? sequentialRows(source, slice) : randomAccessRows(random, slice);
    const shared = settings.threads !== currentThread;
    const size = { type, width, height, memory, minRows: 2 * kernel.reach + 1, shared };
    this.#window = new RowWindow(reader, { ...size, ...(part && { initialRows: 2 * part.rows }) });
  }

  /**
   * Blocks that cover rows `first … last - 1`. Transforms always begin at multiples of 32 rows, so that a cell has the
   * same value however it is read.
   */
  async *blocks(first: number, last: number): AsyncGenerator<RowBlock> {
    const { threads } = this.#settings;
    try {
      for (let row = Math.floor(first / largestSquare) * largestSquare; row < last || this.#pending.length > 0; ) {
        if (row < last && this.#pending.length < threads.maxPending) {
          const block = await this.#begin(row, last);
          this.#pending.push(block);
          row += block.rowCount;
        } else {
          const { samples, ...rows } = this.#pending[0]!;
          const done = await samples;
          this.#pending.shift();
          yield { ...rows, samples: done };
        }
      }
      await this.#window.drain();
    } finally {
      await this.#window.close();
    }
  }

  /** Starts a block of rows from `firstRow` on. */
  async #begin(firstRow: number, last: number): Promise<PendingBlock> {
    const { width, height } = this.#input.transformer.target;
    const maxRows = Math.min(Math.ceil((last - firstRow) / largestSquare) * largestSquare, height - firstRow);
    const rowsOf = (cells: number) =>
      Math.min(Math.max(1, Math.floor(cells / (width * largestSquare))) * largestSquare, maxRows);
    const taskRows = rowsOf(taskCells);
    const transform = this.#transform(firstRow, taskRows);
    const upper = this.#upperRows(transform);
    const sourceRows = upper === undefined ? 0 : upper.to - upper.from + 2 * this.#settings.kernel.reach;
    if (sourceRows <= this.#window.capacity) {
      const source = await this.#load(upper ?? { from: 0, to: 0 });
      const samples = this.#settings.threads.run(this.#task(transform, taskRows, source));
      return { firstRow, rowCount: taskRows, samples };
    }
    // The rotation is too large for one window. A taller block reads the source less often.
    const rowCount = rowsOf(tallBlockBytes / 8);
    const samples = await this.#inParts(this.#transform(firstRow, rowCount), rowCount);
    return { firstRow, rowCount, samples: Promise.resolve(samples) };
  }

  /**
   * Computes a block whose source rows do not fit into the window: one task for each part of the source, all into the
   * same memory.
   */
  async #inParts(transform: ApproximateTransform, rows: number): Promise<Samples> {
    const { threads, kernel } = this.#settings;
    const { from, to: end } = this.#upperRows(transform)!;
    const height = this.#window.capacity - 2 * kernel.reach;
    let samples: Samples | undefined;
    for (let first = from; first < end; first += height) {
      const task = this.#task(transform, rows, await this.#load({ from: first, to: Math.min(first + height, end) }));
      const sameMemory = samples && { out: samples.buffer as ArrayBuffer, fill: undefined };
      samples = await threads.run({ ...task, ...sameMemory });
    }
    return samples!;
  }

  #transform(firstRow: number, rows: number): ApproximateTransform {
    const { transformer, known } = this.#input;
    const { affine, width, height } = transformer.target;
    if (known !== undefined && firstRow === 0 && rows === height) return known;
    return approximateTransform(affine, firstRow, rows, width, (x, y, count) => transformer.toPixels(x, y, count));
  }

  #upperRows(transform: ApproximateTransform) {
    const { width, height } = this.#input.source;
    return upperRowsOf(transform, width, height);
  }

  #task(transform: ApproximateTransform, rows: number, source: SourceWindow): WarpTask {
    const { kernel, type, nodata: fill } = this.#settings;
    const { width } = this.#input.transformer.target;
    const out = pooledBytes(rows * width * sampleArrays[type].BYTES_PER_ELEMENT).buffer;
    return { transform, source, kernel, rows, width, type, out, fill };
  }

  /** Loads the source rows for pixels whose upper row is one of `from … to - 1`. */
  async #load({ from, to }: { from: number; to: number }): Promise<SourceWindow> {
    const { source, slice, part } = this.#input;
    const { width, height } = source;
    const { reach } = this.#settings.kernel;
    const first = Math.max(0, from - reach + 1);
    if (from < to) {
      if (!this.#window.canRead(first))
        await this.#window.replaceReader(async () => randomAccessRows(await this.#input.randomAccess(), slice));
      await this.#window.load(first, Math.min(height, to + reach), () => this.#whenUnused());
    }
    const columns = { left: part?.left ?? 0, stride: part?.width ?? width };
    return { samples: this.#window.samples, first: this.#window.origin, from, to, ...columns, width, height };
  }

  /** Resolves when no task reads the window. */
  async #whenUnused(): Promise<void> {
    await Promise.all(this.#pending.map(({ samples }) => samples));
  }
}

const isRandom = (grid: TypedGrid): grid is RandomGrid => grid.read !== undefined;
