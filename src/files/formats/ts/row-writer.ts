import { clockText } from '../../data/date-text.ts';
import type { ExactIntegers, Item, Samples } from '../../data/item.ts';
import type { Series, SeriesChunk } from '../../data/series.ts';
import { MILLISECONDS } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { BLOCK_VALUES, encodeBlock } from './block.ts';
import { SeriesContent } from './content.ts';
import { kindsOf, type SeriesDefinition } from './definition.ts';
import { type Cell, emptyRows, type Kind, type Rows } from './rows.ts';
import type { SeriesFileWriter } from './series-file.ts';

/** Microseconds since 1970 that are 64-bit integers, and years that ISO 8601 writes with four digits. */
const EARLIEST = -62_167_219_200_000_000n;
const LATEST = 253_402_300_799_999_999n;

const RANGES: Partial<Record<Kind, readonly [number, number]>> = {
  i16: [-32_768, 32_767],
  i32: [-2_147_483_648, 2_147_483_647],
  i64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** Packs steps into blocks of the series. */
export class RowWriter {
  readonly #file: SeriesFileWriter;
  readonly #context: Context;
  readonly #clock: { start: bigint; unit: number };
  readonly #columns: PendingRows[];
  #last: bigint | undefined;
  #equal = 0;

  /** @param targets the series of each item, numbered alike in `file` */
  constructor(series: Series, targets: readonly SeriesDefinition[], file: SeriesFileWriter, context: Context) {
    const { time, items, origin } = series;
    this.#file = file;
    this.#context = context;
    this.#clock = { start: BigInt(Math.round((time.start ?? 0) * 1000)), unit: MILLISECONDS[time.unit] * 1000 };
    if (time.start === undefined)
      context.reportLoss('Times relative to a start count from 1970-01-01T00:00:00.', 'times');
    // the reader of this store gives NaN where a series has no row
    const sparse = origin?.content instanceof SeriesContent;
    this.#columns = items.map((item, n) => new PendingRows(item, targets[n]!, sparse));
  }

  async add({ offsets, values }: SeriesChunk): Promise<void> {
    const steps = this.#timesOf(offsets);
    for (const [n, column] of this.#columns.entries()) {
      column.add(steps, values[n]!);
      if (column.rows.times.length > BLOCK_VALUES) await this.#flush(n, BLOCK_VALUES);
    }
  }

  async end(): Promise<void> {
    for (const n of this.#columns.keys()) await this.#flush(n, 0);
    const { reportLoss } = this.#context;
    if (this.#equal > 0)
      reportLoss(`${this.#equal} steps had the time of the one before; the last of equal times counts.`);
    for (const column of this.#columns) column.report(this.#context);
  }

  /**
   * Writes full blocks while there are more rows than `most`, and the last one, which later rows with its time may
   * still change, stays.
   */
  async #flush(n: number, most: number): Promise<void> {
    const { rows, kinds } = this.#columns[n]!;
    let from = 0;
    for (const { length } = rows.times; length - from > most; ) {
      const to = Math.min(from + BLOCK_VALUES, length);
      const block = { first: rows.times[from]!, last: rows.times[to - 1]!, count: to - from };
      await this.#file.addBlock(n, { ...block, data: encodeBlock(rows, kinds, from, to) });
      from = to;
    }
    rows.times.splice(0, from);
    for (const cells of rows.columns) cells.splice(0, from);
  }

  #timesOf(offsets: Float64Array): bigint[] {
    const { start, unit } = this.#clock;
    return Array.from(offsets, (offset) => {
      const micros = Math.round(offset * unit);
      const time = Number.isFinite(micros) ? start + BigInt(micros) : LATEST + 1n;
      if (time < EARLIEST || time > LATEST)
        throw new ConversionError(
          `A step lies ${offset} units of time after the start, which is no time of a calendar.`,
        );
      if (this.#last !== undefined && time <= this.#last) {
        if (time < this.#last)
          throw new ConversionError(
            `The step at ${textOf(time)} follows the one at ${textOf(this.#last)}. Time series need steps in the order of time.`,
          );
        this.#equal += 1;
      }
      this.#last = time;
      return time;
    });
  }
}

const textOf = (micros: bigint) => clockText(Number(micros) / 1000);

/** The rows of a series that are not written yet. */
class PendingRows {
  readonly rows: Rows;
  readonly kinds: readonly Kind[];
  readonly #item: Item;
  readonly #target: SeriesDefinition;
  readonly #sparse: boolean;
  #notFinite = 0;
  #rounded = 0;

  constructor(item: Item, target: SeriesDefinition, sparse: boolean) {
    this.#item = item;
    this.#target = target;
    this.#sparse = sparse;
    this.kinds = kindsOf(target);
    this.rows = emptyRows(this.kinds.length);
  }

  add(times: readonly bigint[], values: Samples | ExactIntegers): void {
    const { scale = 1, offset = 0, nodata } = this.#item;
    const none = nodata !== undefined && values instanceof Float32Array ? Math.fround(nodata) : nodata;
    const [first, ...fields] = this.rows.columns as [Cell[], ...Cell[][]];
    for (const [n, time] of times.entries()) {
      const value = Number(values[n]);
      const missing = Number.isNaN(value);
      if (missing && this.#sparse) continue;
      // without another nodata value, NaN says that there is no value
      if (missing && none !== undefined && !Number.isNaN(none)) this.#notFinite += 1;
      const cell = missing || value === none ? null : this.#cellOf(value * scale + offset, time);
      // of equal times the last one
      const at = this.rows.times.at(-1) === time ? this.rows.times.length - 1 : this.rows.times.length;
      this.rows.times[at] = time;
      first[at] = cell;
      for (const field of fields) field[at] = null;
    }
  }

  #cellOf(value: number, time: bigint): Cell {
    const [kind] = this.kinds as [Kind];
    const range = RANGES[kind];
    if (range !== undefined) {
      if (!Number.isInteger(value) || value < range[0] || value > range[1])
        throw new ConversionError(
          `The value ${value} of '${this.#target.item.name}' at ${textOf(time)} is no ${this.#target.item.dataType}.`,
        );
      return kind === 'i64' ? BigInt(value) : value;
    }
    const stored = kind === 'f32' ? Math.fround(value) : value;
    if (!Number.isFinite(stored)) {
      this.#notFinite += 1;
      return null;
    }
    if (stored !== value) this.#rounded += 1;
    return stored;
  }

  report({ reportLoss }: Pick<Context, 'reportLoss'>): void {
    const { name } = this.#target.item;
    if (this.#notFinite > 0) reportLoss(`${this.#notFinite} values of '${name}' are not finite and were left empty.`);
    if (this.#rounded > 0) reportLoss(`${this.#rounded} values of '${name}' were rounded to single precision.`);
  }
}
