import type { RowBlock, Slice } from '../../data/grid.ts';
import { ConversionError } from '../../errors.ts';
import type { InputFiles } from './input-files.ts';

/** Reads the rows of a slice of a file once, from the top, with pauses in which the file may be closed. */
export class RowCursor {
  readonly #files: InputFiles;
  readonly #file: number;
  readonly #slice: Slice;
  readonly #height: number;
  #rows: AsyncGenerator<RowBlock> | undefined;
  #block: RowBlock | undefined;

  constructor(files: InputFiles, file: number, slice: Slice, height: number) {
    this.#files = files;
    this.#file = file;
    this.#slice = slice;
    this.#height = height;
  }

  get isOpen(): boolean {
    return this.#rows !== undefined;
  }

  /** The rows `first … end - 1`, in parts. Later calls are for rows that are not above these. */
  async *take(first: number, end: number): AsyncGenerator<RowBlock> {
    for (let at = first; at < end; ) {
      const block = await this.#blockWith(at);
      const stop = Math.min(end, block.firstRow + block.rowCount);
      const width = block.samples.length / block.rowCount;
      const [from, to] = [(at - block.firstRow) * width, (stop - block.firstRow) * width];
      const exact = block.exact === undefined ? {} : { exact: block.exact.subarray(from, to) };
      yield { firstRow: at, rowCount: stop - at, samples: block.samples.subarray(from, to), ...exact };
      at = stop;
    }
    if (end === this.#height) await this.close();
  }

  async #blockWith(row: number): Promise<RowBlock> {
    while (this.#block === undefined || this.#block.firstRow + this.#block.rowCount <= row) {
      this.#rows ??= this.#begin(row);
      const { value, done } = await this.#rows.next();
      if (done)
        throw new ConversionError(`${this.#files.name(this.#file)}: It ended before row ${row} of ${this.#height}.`);
      this.#block = value;
    }
    return this.#block;
  }

  #begin(first: number): AsyncGenerator<RowBlock> {
    return this.#files.each(this.#file, 'grid', (grid) => grid.rows(this.#slice, { first, end: this.#height }));
  }

  /** Lets the file be closed. The next `take` opens it again, and begins at its first row. */
  async close(): Promise<void> {
    const rows = this.#rows;
    this.#rows = this.#block = undefined;
    await rows?.return(undefined);
  }
}
