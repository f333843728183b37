import { pooledSamples, releaseBuffer } from '../../data/buffer-pool.ts';
import type { Affine, Grid, RowRange } from '../../data/grid.ts';
import { isFloat, sampleTypeOf } from '../../data/samples.ts';
import type { Plane } from '../../tiles/raster/colour-planes.ts';
import type { SourceSlice } from '../../tiles/raster/values/item-values.ts';
import { type CellWindow, copyReal, copyRows, halved } from './level-cells.ts';
import { RecentValues } from './recent-values.ts';

/**
 * Cells of a plane that is held in memory: of larger ones blocks are read as they are needed. Fewer of files whose rows
 * can be read without those before them.
 */
export const MOST_CELLS = 1 << 24;
const MOST_CELLS_OF_RANDOM_ROWS = 1 << 22;
/**
 * Sides of the blocks in cells of the grid, as tiles of files usually have them, and at least so many cells of a level.
 * Larger blocks of a coarse level would be read for the few of their cells that a tile has.
 */
const BLOCK = 512;
const LEAST_BLOCK = 64;
const blockSide = (level: number) => Math.max(LEAST_BLOCK, BLOCK >> level);
/** Windows across and down of which a large plane is sampled, and their size. */
const SAMPLES = 4;
const SAMPLE_ROWS = 64;
const SAMPLE_COLUMNS = 512;

/** A plane of a slice, at a level. */
export interface LevelSlice extends SourceSlice {
  readonly plane: Plane;
  /** Identifies the plane. */
  readonly key: string;
  readonly level: number;
}

/**
 * Values of a grid: at level 0 those of its cells, at each further one the means of four cells of the level before that
 * have data. NaN is no data.
 */
export class GridLevels {
  readonly #grid: Grid;
  readonly #recent = new RecentValues();
  /** Whether a plane is held whole. */
  readonly isWhole: boolean;
  /** Reads do not overlap. */
  #last: Promise<unknown> = Promise.resolve();
  /** Bands without a type of which fractions were read. */
  readonly #fractions = new Set<number>();

  /** @param planes that are needed for a tile */
  constructor(grid: Grid, planes: number) {
    this.#grid = grid;
    const isRandom = grid.read !== undefined || grid.origin?.format === 'geotiff';
    this.isWhole = grid.width * grid.height * planes <= (isRandom ? MOST_CELLS_OF_RANDOM_ROWS : MOST_CELLS);
  }

  /** Width, height and affine transform of a level. */
  geometry(level: number): { width: number; height: number; affine: Affine } {
    const { width, height, affine } = this.#grid;
    const [x, a, b, y, c, d] = affine;
    const factor = 2 ** level;
    return {
      width: Math.ceil(width / factor),
      height: Math.ceil(height / factor),
      affine: [x, a * factor, b * factor, y, c * factor, d * factor],
    };
  }

  /** Whether a band has whole numbers, which have no values in between. */
  async hasClasses(band: number, slice: SourceSlice, check: () => void): Promise<boolean> {
    const { type, integer64, scale = 1, offset = 0 } = this.#grid.bands[band]!;
    if (scale !== 1 || offset !== 0) return false;
    if (type !== undefined) return !isFloat(type) || integer64 !== undefined;
    const window = { left: 0, width: Math.min(BLOCK, this.#grid.width), firstRow: 0, rowCount: 1 };
    releaseBuffer(await this.read({ ...slice, plane: { band }, key: String(band), level: 0 }, window, check));
    return !this.#fractions.has(band);
  }

  /** The values of some cells, which belong to the caller. */
  async read(of: LevelSlice, window: CellWindow, check: () => void): Promise<Float32Array> {
    const values = pooledSamples('Float32', window.width * window.rowCount) as Float32Array;
    if (this.isWhole) {
      const { width } = this.geometry(of.level);
      copyRows(await this.whole(of, check), { width, left: 0, top: 0 }, window, values);
      return values;
    }
    const { left, firstRow } = window;
    const [endColumn, endRow] = [left + window.width, firstRow + window.rowCount];
    const side = blockSide(of.level);
    const columns = { first: Math.floor(left / side), end: Math.ceil(endColumn / side) };
    for (let row = Math.floor(firstRow / side); row * side < endRow; row++)
      for (const [column, block] of await this.#blocks(of, row, columns, check))
        copyRows(block, { width: side, left: column * side, top: row * side }, window, values);
    return values;
  }

  /** All values of a plane. */
  whole(of: LevelSlice, check: () => void): Promise<Float32Array> {
    const { level, plane, step, layer } = of;
    return this.#recent.get(this.#key(of), async () => {
      if (level > 0) {
        const finer = this.geometry(level - 1);
        return halved(await this.whole({ ...of, level: level - 1 }, check), finer.width, finer.height);
      }
      const { width, height } = this.#grid;
      return this.#alone(async () => {
        const values = new Float32Array(width * height).fill(Number.NaN);
        const item = this.#grid.bands[plane.band]!;
        for await (const { firstRow, samples } of this.#rows(plane.band, { step, layer })) {
          check();
          const all = { first: 0, count: samples.length };
          copyReal(samples, all, item, plane.change, values.subarray(firstRow * width));
          releaseBuffer(samples);
        }
        return values;
      });
    });
  }

  /** Values of some windows that are spread over a slice. */
  async sample(of: LevelSlice): Promise<Float32Array> {
    const { height, width, bands } = this.#grid;
    const item = bands[of.plane.band]!;
    const [rows, columns] = [Math.min(SAMPLE_ROWS, height), Math.min(SAMPLE_COLUMNS, width)];
    const values = new Float32Array(SAMPLES * SAMPLES * rows * columns).fill(Number.NaN);
    /** The first of some indices around the middle of a part. */
    const firstOf = (part: number, length: number, count: number) =>
      Math.max(0, Math.min(length - count, Math.floor(((part + 0.5) * length) / SAMPLES - count / 2)));
    return this.#alone(async () => {
      let to = 0;
      for (let down = 0; down < SAMPLES; down++)
        for (let across = 0; across < SAMPLES; across++) {
          const [first, left] = [firstOf(down, height, rows), firstOf(across, width, columns)];
          const range = { first, end: first + rows, columns: { first: left, end: left + columns } };
          for await (const { firstRow, rowCount, samples } of this.#rows(of.plane.band, of, range)) {
            for (let row = Math.max(first, firstRow); row < Math.min(range.end, firstRow + rowCount); row++) {
              const cells = { first: (row - firstRow) * width + left, count: columns };
              copyReal(samples, cells, item, of.plane.change, values.subarray(to + (row - first) * columns));
            }
            releaseBuffer(samples);
          }
          to += rows * columns;
        }
      return values;
    });
  }

  close(): void {
    this.#recent.close();
  }

  #key({ key, level, step, layer }: LevelSlice): string {
    return `${key} ${step} ${layer} ${level}`;
  }

  async *#rows(band: number, { step, layer }: SourceSlice, range?: RowRange) {
    const { type } = this.#grid.bands[band]!;
    for await (const block of this.#grid.rows({ band, step, layer }, range)) {
      if (type === undefined && isFloat(sampleTypeOf(block.samples)) && block.exact === undefined)
        this.#fractions.add(band);
      yield block;
    }
  }

  /** The blocks of some columns; those that are missing are read together. */
  async #blocks(
    of: LevelSlice,
    row: number,
    { first, end }: { first: number; end: number },
    check: () => void,
  ): Promise<Map<number, Float32Array>> {
    const keyOf = (column: number) => `${this.#key(of)} ${row} ${column}`;
    const known = async () => {
      const blocks = new Map<number, Float32Array>();
      for (let column = first; column < end; column++) {
        const block = await this.#recent.peek<Float32Array>(keyOf(column));
        if (block !== undefined) blocks.set(column, block);
      }
      return blocks;
    };
    const blocks = await known();
    if (blocks.size === end - first) return blocks;
    return this.#alone(async () => {
      const again = await known();
      if (again.size === end - first) return again;
      const read = await this.#readBlocks(of, row, { first, end }, check);
      for (const [column, block] of read) this.#recent.set(keyOf(column), block);
      return read;
    });
  }

  async #readBlocks(
    { plane, step, layer, level }: LevelSlice,
    row: number,
    { first, end }: { first: number; end: number },
    check: () => void,
  ): Promise<Map<number, Float32Array>> {
    const { width, height, bands } = this.#grid;
    const item = bands[plane.band]!;
    const factor = 2 ** level;
    const side = blockSide(level);
    const left = first * side * factor;
    const right = Math.min(width, end * side * factor);
    const top = row * side * factor;
    const range = { first: top, end: Math.min(height, top + side * factor), columns: { first: left, end: right } };
    const stride = (end - first) * side;
    const sums = new Float64Array(stride * side);
    const counts = new Uint32Array(stride * side);
    const line = new Float32Array(right - left);
    for await (const { firstRow, rowCount, samples } of this.#rows(plane.band, { step, layer }, range)) {
      check();
      const last = Math.min(range.end, firstRow + rowCount);
      for (let y = Math.max(range.first, firstRow); y < last; y++) {
        copyReal(samples, { first: (y - firstRow) * width + left, count: line.length }, item, plane.change, line);
        const to = ((y - top) >> level) * stride;
        for (let x = 0; x < line.length; x++) {
          const value = line[x]!;
          if (Number.isNaN(value)) continue;
          const cell = to + (x >> level);
          sums[cell]! += value;
          counts[cell]!++;
        }
      }
      releaseBuffer(samples);
    }
    const blocks = new Map<number, Float32Array>();
    for (let column = first; column < end; column++) {
      const block = new Float32Array(side * side);
      for (let y = 0, n = 0; y < side; y++)
        for (let x = 0, at = y * stride + (column - first) * side; x < side; x++, n++, at++)
          block[n] = counts[at] === 0 ? Number.NaN : sums[at]! / counts[at]!;
      blocks.set(column, block);
    }
    return blocks;
  }

  /** Runs a read after those before it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work, work);
    this.#last = run.catch(() => {});
    return run;
  }
}
