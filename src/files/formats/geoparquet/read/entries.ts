import { FormatError } from '../../../errors.ts';
import type { PageValues } from '../parquet/column-pages.ts';

/** Entries of a row that are held in memory. */
const maxEntries = 1 << 24;

/** Values of a column in lists or groups, with their levels, of which whole rows are taken. */
export class Entries {
  /** Rows of which all entries are here. */
  rows = 0;
  ended = false;
  #values: unknown[] = [];
  #definitions = new Uint8Array(0);
  #repetitions = new Uint8Array(0);
  #at = 0;
  #valueAt = 0;
  readonly #max: number;

  /** @param max level of an entry that has a value */
  constructor(max: number) {
    this.#max = max;
  }

  append({ values, definitions, repetitions }: PageValues): void {
    const count = definitions?.length ?? repetitions?.length ?? values.length;
    const left = this.length;
    if (left + count > maxEntries) throw new FormatError(`A row has more than ${maxEntries} values.`);
    const [allDefinitions, allRepetitions] = [new Uint8Array(left + count), new Uint8Array(left + count)];
    allDefinitions.set(this.#definitions.subarray(this.#at));
    allRepetitions.set(this.#repetitions.subarray(this.#at));
    if (definitions === undefined) allDefinitions.fill(this.#max, left);
    else allDefinitions.set(definitions, left);
    if (repetitions !== undefined) allRepetitions.set(repetitions, left);
    for (let n = left; n < left + count; n++) if (allRepetitions[n] === 0) this.rows++;
    if (this.#at === 0 && left === 0) this.#values = values;
    else {
      const rest = this.#values.slice(this.#valueAt);
      for (const value of values) rest.push(value);
      this.#values = rest;
    }
    this.#definitions = allDefinitions;
    this.#repetitions = allRepetitions;
    [this.#at, this.#valueAt] = [0, 0];
  }

  /** Entries that are held. */
  get length(): number {
    return this.#definitions.length - this.#at;
  }

  /** Rows that can be taken: of the last one, more entries may follow. */
  get complete(): number {
    return this.ended ? this.rows : Math.max(0, this.rows - 1);
  }

  /** Level of the next entry. */
  get definition(): number {
    const level = this.#definitions[this.#at];
    if (level === undefined) throw new FormatError('Columns of a group have different numbers of values.');
    return level;
  }

  /** 0 where the next entry begins a row, and at the end. */
  get repetition(): number {
    return this.#repetitions[this.#at] ?? 0;
  }

  /** Takes an entry: its value, or null. */
  next(): unknown {
    const isPresent = this.definition === this.#max;
    this.#at++;
    return isPresent ? this.#values[this.#valueAt++] : null;
  }

  /** @throws FormatError if entries are left of the row that was taken */
  endRow(): void {
    if (this.repetition !== 0) throw new FormatError('Levels of a column do not fit its lists.');
    this.rows--;
  }
}
