import type { RandomGrid, RowBlock, Slice, TypedGrid } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { spareBytesOf } from '../../data/spare-memory.ts';
import type { Plan } from './approximate-transformer.ts';
import { planRows, stripe } from './approximate-transformer.ts';
import type { PixelFinder } from './image-transformer.ts';
import type { Kernel, Piece } from './resample.ts';
import { passingRows, RowWindow, randomRows } from './row-window.ts';
import type { WarpTask } from './warp-task.ts';
import { upperRowsOf } from './warp-task.ts';
import type { Crew } from './warp-threads.ts';

/** Cells that are computed at a time, at least: fewer are not worth a message to another thread. */
const taskCells = 1 << 17;
/** Bytes of a block of target rows where the source has to be read in several pieces. */
const blockBytes = 64 << 20;

interface From {
  finder: PixelFinder;
  source: TypedGrid;
  slice: Slice;
  /** The source with rows in any order. */
  keep(): Promise<RandomGrid>;
}

interface How {
  type: SampleType;
  /** What cells without a value hold. */
  nodata: number;
  kernel: Kernel;
  /** Bytes that may be held of the source at a time. */
  memory: number;
  crew: Crew;
}

/** Target rows for which tasks are under way. */
interface Block {
  firstRow: number;
  rowCount: number;
  samples: Promise<Samples>;
}

/**
 * One slice of a target, computed once from its first row to its last. This thread plans, and reads the source row by row; the crew
 * computes blocks, several at a time, which leave in their order.
 */
export class WarpRows {
  readonly #from: From;
  readonly #how: How;
  readonly #window: RowWindow;
  readonly #underWay: Block[] = [];

  constructor(from: From, how: How) {
    this.#from = from;
    this.#how = how;
    const { source, slice } = from;
    const { width, height } = source;
    const { type, memory, kernel } = how;
    const supply = isRandom(source) ? randomRows(source, slice) : passingRows(source, slice);
    this.#window = new RowWindow(supply, { type, width, height, memory, least: 2 * kernel.reach + 1 });
  }

  /** Blocks that cover rows `first … last - 1`; plans always begin at the same rows, so that a cell has one value however it is read. */
  async *blocks(first: number, last: number): AsyncGenerator<RowBlock> {
    const { crew } = this.#how;
    try {
      for (let row = Math.floor(first / stripe) * stripe; row < last || this.#underWay.length > 0; ) {
        if (row < last && this.#underWay.length < crew.ahead) {
          const block = await this.#begin(row, last);
          this.#underWay.push(block);
          row += block.rowCount;
        } else {
          const { samples, ...rows } = this.#underWay[0]!;
          const done = await samples;
          this.#underWay.shift();
          yield { ...rows, samples: done };
        }
      }
      await this.#window.drain();
    } finally {
      await this.#window.close();
    }
  }

  /** Has a block computed that begins with a row. */
  async #begin(firstRow: number, last: number): Promise<Block> {
    const { width, height } = this.#from.finder.lattice;
    const most = Math.min(Math.ceil((last - firstRow) / stripe) * stripe, height - firstRow);
    const tall = (cells: number) => Math.min(Math.max(1, Math.floor(cells / (width * stripe))) * stripe, most);
    const usual = tall(taskCells);
    const plan = this.#plan(firstRow, usual);
    const upper = this.#upperRows(plan);
    const apart = upper === undefined ? 0 : upper.to - upper.from + 2 * this.#how.kernel.reach;
    if (apart <= this.#window.capacity) {
      const piece = await this.#piece(upper ?? { from: 0, to: 0 });
      return { firstRow, rowCount: usual, samples: this.#how.crew.run(this.#task(plan, usual, piece)) };
    }
    // The source lies too far askew for one window: a taller block makes the reading of it in pieces worth the while.
    const rowCount = tall(blockBytes / 8);
    const samples = await this.#inPieces(this.#plan(firstRow, rowCount), rowCount);
    return { firstRow, rowCount, samples: Promise.resolve(samples) };
  }

  /** A block whose source rows do not fit the window together: they pass through it piece by piece. */
  async #inPieces(plan: Plan, rows: number): Promise<Samples> {
    const { crew, kernel } = this.#how;
    const { from, to: end } = this.#upperRows(plan)!;
    const height = this.#window.capacity - 2 * kernel.reach;
    let samples: Samples | undefined;
    for (let first = from; first < end; first += height) {
      const task = this.#task(plan, rows, await this.#piece({ from: first, to: Math.min(first + height, end) }));
      // The same memory again, which holds what the pieces before gave.
      const again = samples && { out: samples.buffer as ArrayBuffer, fill: undefined };
      samples = await crew.run({ ...task, ...again });
    }
    return samples!;
  }

  #plan(firstRow: number, rows: number): Plan {
    const { finder } = this.#from;
    const { affine, width } = finder.lattice;
    return planRows(affine, firstRow, rows, width, (x, y, count) => finder.find(x, y, count));
  }

  #upperRows(plan: Plan) {
    const { width, height } = this.#from.source;
    return upperRowsOf(plan, width, height);
  }

  #task(plan: Plan, rows: number, piece: Piece): WarpTask {
    const { kernel, type, nodata: fill } = this.#how;
    const { width } = this.#from.finder.lattice;
    const out = spareBytesOf(rows * width * sampleArrays[type].BYTES_PER_ELEMENT).buffer;
    return { plan, piece, kernel, rows, width, type, out, fill };
  }

  async #piece({ from, to }: { from: number; to: number }): Promise<Piece> {
    const { source, slice } = this.#from;
    const { width, height } = source;
    const { reach } = this.#how.kernel;
    const first = Math.max(0, from - reach + 1);
    if (from < to) {
      if (!this.#window.reaches(first))
        await this.#window.resupply(async () => randomRows(await this.#from.keep(), slice));
      await this.#window.load(first, Math.min(height, to + reach), () => this.#idle());
    }
    return { samples: this.#window.samples, first: this.#window.origin, from, to, width, height };
  }

  /** Waits until no task looks at the window. */
  async #idle(): Promise<void> {
    await Promise.all(this.#underWay.map(({ samples }) => samples));
  }
}

const isRandom = (grid: TypedGrid): grid is RandomGrid => grid.read !== undefined;
