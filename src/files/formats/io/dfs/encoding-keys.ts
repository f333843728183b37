import type { Samples } from '../../../data/item.ts';
import { lowerBound } from '../../../data/number-arrays.ts';
import { FormatError } from '../../../errors.ts';
import type { DfsFile } from './dfs-file.ts';

/**
 * Maximum number of cells per key, and number of cells that any grid may have. They limit the time of decompression.
 */
const cellsPerKey = 1000;
const cellsOfAnyGrid = 1 << 22;

/** The cells that a compressed file stores, and their order in its records. */
export class EncodingKeys {
  /** Index of each stored cell in the whole grid, ascending. */
  readonly #cells: Float64Array;
  /** Position of each of these cells in a record; absent: records have the same order. */
  readonly #order: Uint32Array | undefined;
  #last: { item: number; step: number; values: Samples } | undefined;

  private constructor(cells: Float64Array, order: Uint32Array | undefined) {
    this.#cells = cells;
    this.#order = order;
  }

  /** @throws FormatError for a key outside of the grid */
  static async read({ header, dataStart }: DfsFile, counts: readonly number[]): Promise<EncodingKeys> {
    const [nx = 1, ny = 1, nz = 1] = counts;
    const [x, y, z] = await Promise.all(header.statics.slice(0, 3).map(({ values }) => values.load()));
    const count = x!.length;
    if (nx * ny * nz > Math.max(cellsOfAnyGrid, count * cellsPerKey))
      throw new FormatError(
        `A compressed grid of ${counts.join(' × ')} cells stores only ${count} of them.`,
        dataStart,
      );
    const cells = new Float64Array(count);
    let ascending = true;
    for (let n = 0; n < count; n++) {
      const [i, j, k] = [x![n]!, y![n]!, z![n]!];
      if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz)
        throw new FormatError(
          `The encoding key ${i}, ${j}, ${k} lies outside of ${counts.join(' × ')} cells.`,
          dataStart,
        );
      cells[n] = i + nx * (j + ny * k);
      ascending &&= n === 0 || cells[n]! > cells[n - 1]!;
    }
    if (ascending) return new EncodingKeys(cells, undefined);
    const order = Uint32Array.from({ length: count }, (_, n) => n).sort((one, other) => cells[one]! - cells[other]!);
    return new EncodingKeys(
      Float64Array.from(order, (n) => cells[n]!),
      order,
    );
  }

  /** Values of `count` cells of the whole grid from `first` on; those that are not stored hold the delete value. */
  async expand(file: DfsFile, item: number, step: number, first: number, count: number): Promise<Samples> {
    const expanded = new Float32Array(count).fill(file.header.deleteValues.Float32);
    const from = lowerBound(this.#cells, first);
    const to = lowerBound(this.#cells, first + count);
    if (from === to) return expanded;
    const order = this.#order;
    const values =
      order === undefined
        ? await file.readItem(item, step, from, to - from)
        : await this.#wholeRecord(file, item, step);
    for (let n = from; n < to; n++)
      expanded[this.#cells[n]! - first] = values[order === undefined ? n - from : order[n]!]!;
    return expanded;
  }

  async #wholeRecord(file: DfsFile, item: number, step: number): Promise<Samples> {
    if (this.#last?.item !== item || this.#last.step !== step)
      this.#last = { item, step, values: await file.readItem(item, step) };
    return this.#last.values;
  }

  /** Copies the stored cells of a part of the grid to their positions in a record. */
  collect(part: Samples, first: number, record: Samples): void {
    const to = lowerBound(this.#cells, first + part.length);
    for (let n = lowerBound(this.#cells, first); n < to; n++)
      record[this.#order === undefined ? n : this.#order[n]!] = part[this.#cells[n]! - first]!;
  }
}
