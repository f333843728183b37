import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Cell, Kind, Rows } from './rows.ts';

/**
 * Values per block. A year of minutes is 129 blocks, in five statements. Regular values of three decimals take 1.2
 * bytes each, as plain rows of Postgres 52, and 84 with a B-tree (`bench/ts.bench.ts`).
 */
export const BLOCK_VALUES = 4096;

/**
 * Packed rows: a byte for the version, the number of rows (uint32), the times and each column, all compressed with
 * zstd. Times are differences of differences, all zero for regular times. Numbers of few decimals, as sensors report
 * them, are whole numbers with a power of ten and stored as differences; others as they are. The bytes of numbers are
 * transposed: all first bytes, then all second bytes.
 */
const VERSION = 1;
/** Ways of storing a column. */
const RAW = 0;
const DECIMAL = 1;
const TEXT = 2;
const MAX_DECIMALS = 6;
const POWERS = Array.from({ length: MAX_DECIMALS + 1 }, (_, power) => 10 ** power);
/** Whole numbers up to here have exact differences in an int32. */
const MAX_WHOLE = 2 ** 30;

const NUMBERS = {
  f32: Float32Array,
  f64: Float64Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
} as const;
type Numbers = Float32Array | Float64Array | Int16Array | Int32Array | BigInt64Array;

export function encodeBlock(rows: Rows, kinds: readonly Kind[], from: number, to: number): Buffer {
  const count = to - from;
  const head = Buffer.alloc(5);
  head.writeUInt8(VERSION, 0);
  head.writeUInt32LE(count, 1);
  const parts: Uint8Array[] = [head, transposed(timeDifferences(rows.times, from, to))];
  for (const [at, kind] of kinds.entries()) parts.push(...encodeColumn(rows.columns[at] ?? [], kind, from, to));
  return zstdCompressSync(Buffer.concat(parts));
}

export function decodeBlock(data: Uint8Array, kinds: readonly Kind[]): Rows {
  const { times, columns } = openBlock(data, kinds);
  return { times: Array.from(times), columns: columns.map((column) => unpackCells(column, times.length)) };
}

/** A block as it is packed. */
export interface PackedBlock {
  readonly times: BigInt64Array;
  readonly columns: readonly PackedColumn[];
}

/** Values of the rows that have one. */
export type PackedColumn = {
  /** A bit for each row. */
  readonly present: Uint8Array;
  readonly kind: Kind;
} & (
  | { readonly decimals?: undefined; readonly numbers: ArrayLike<Cell> }
  /** Whole numbers, to be divided by this power of ten. */
  | { readonly decimals: number; readonly numbers: Int32Array }
);

export function openBlock(data: Uint8Array, kinds: readonly Kind[]): PackedBlock {
  const bytes = new Source(zstdDecompressSync(data));
  const times = decodedTimes(bytes);
  return { times, columns: kinds.map((kind) => decodeColumn(bytes, kind, times.length)) };
}

/** The value at a position among those that are there. */
export const cellAt = (column: PackedColumn, position: number): Cell =>
  column.decimals === undefined
    ? (column.numbers[position] as Cell)
    : fromWhole(column.numbers[position] as number, column.decimals, column.kind);

export const decodeTimes = (data: Uint8Array): BigInt64Array => decodedTimes(new Source(zstdDecompressSync(data)));

function decodedTimes(bytes: Source): BigInt64Array {
  const version = bytes.take(1)[0];
  if (version !== VERSION) throw new Error(`A block has the unknown version ${version}.`);
  const count = bytes.uint32();
  const times = restored(bytes.take(count * 8), new BigInt64Array(count));
  let [time, step] = [0n, 0n];
  for (let at = 0; at < count; at++) {
    step = at === 0 ? (times[0] as bigint) : step + (times[at] as bigint);
    // the first number is the time itself, the second one a difference
    if (at === 1) step = times[1] as bigint;
    time += step;
    times[at] = time;
  }
  return times;
}

function timeDifferences(times: readonly bigint[], from: number, to: number): BigInt64Array {
  const made = new BigInt64Array(to - from);
  let [before, step] = [0n, 0n];
  for (let at = from; at < to; at++) {
    const time = times[at] as bigint;
    const next = time - before;
    made[at - from] = at - from < 2 ? next : next - step;
    step = next;
    before = time;
  }
  return made;
}

function encodeColumn(cells: readonly Cell[], kind: Kind, from: number, to: number): Uint8Array[] {
  const present = Buffer.alloc(Math.ceil((to - from) / 8));
  const values: Cell[] = [];
  for (let at = from; at < to; at++) {
    const cell = cells[at] ?? null;
    if (cell === null) continue;
    present[(at - from) >> 3] = (present[(at - from) >> 3] as number) | (1 << ((at - from) & 7));
    values.push(cell);
  }
  if (kind === 'text') {
    const text = Buffer.from(JSON.stringify(values));
    return [present, Buffer.from([TEXT]), uint32(text.length), text];
  }
  const decimals = kind === 'f32' || kind === 'f64' ? countDecimals(values as number[], kind) : undefined;
  if (decimals === undefined) {
    const numbers = new NUMBERS[kind](values as never) as Numbers;
    return [present, Buffer.from([RAW]), uint32(values.length), transposed(numbers)];
  }
  const differences = new Int32Array(values.length);
  const power = POWERS[decimals] as number;
  let before = 0;
  for (const [at, value] of (values as number[]).entries()) {
    const whole = Math.round(value * power);
    differences[at] = whole - before;
    before = whole;
  }
  return [present, Buffer.from([DECIMAL]), uint32(values.length), Buffer.from([decimals]), transposed(differences)];
}

/** The smallest number of decimals with which all values are restored exactly; undefined if there is none. */
function countDecimals(values: readonly number[], kind: 'f32' | 'f64'): number | undefined {
  let decimals = 0;
  // values before this one fit fewer decimals; they need not fit more
  let widened = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    while (!isWhole(value, decimals, kind)) {
      if (++decimals > MAX_DECIMALS) return undefined;
      widened = at;
    }
  }
  for (let at = 0; at < widened; at++) if (!isWhole(values[at] as number, decimals, kind)) return undefined;
  return decimals;
}

function isWhole(value: number, decimals: number, kind: 'f32' | 'f64'): boolean {
  // whole numbers have no negative zero: such a column is stored as it is
  const whole = Math.round(value * (POWERS[decimals] as number)) + 0;
  return Math.abs(whole) < MAX_WHOLE && Object.is(fromWhole(whole, decimals, kind), value);
}

const fromWhole = (whole: number, decimals: number, kind: Kind) =>
  kind === 'f32' ? Math.fround(whole / (POWERS[decimals] as number)) : whole / (POWERS[decimals] as number);

function decodeColumn(bytes: Source, kind: Kind, count: number): PackedColumn {
  const present = bytes.take(Math.ceil(count / 8));
  return { present, kind, ...decodeNumbers(bytes, kind) };
}

function unpackCells(column: PackedColumn, count: number): Cell[] {
  const { present } = column;
  const cells: Cell[] = new Array(count);
  let next = 0;
  for (let at = 0; at < count; at++) {
    cells[at] = ((present[at >> 3] as number) & (1 << (at & 7))) === 0 ? null : cellAt(column, next++);
  }
  return cells;
}

function decodeNumbers(
  bytes: Source,
  kind: Kind,
): { numbers: ArrayLike<Cell> } | { decimals: number; numbers: Int32Array } {
  const way = bytes.take(1)[0];
  const length = bytes.uint32();
  if (way === TEXT) return { numbers: JSON.parse(Buffer.from(bytes.take(length)).toString()) };
  if (way === RAW && kind !== 'text') {
    const numbers = new NUMBERS[kind](length) as Numbers;
    return { numbers: restored(bytes.take(numbers.byteLength), numbers) };
  }
  if (way !== DECIMAL || (kind !== 'f32' && kind !== 'f64')) throw new Error(`A block has a column of kind ${way}.`);
  const decimals = bytes.take(1)[0] as number;
  const numbers = restored(bytes.take(length * 4), new Int32Array(length));
  for (let at = 1; at < length; at++) numbers[at] = (numbers[at] as number) + (numbers[at - 1] as number);
  return { decimals, numbers };
}

function transposed(numbers: Numbers): Uint8Array {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const [size, count] = [numbers.BYTES_PER_ELEMENT, numbers.length];
  const made = new Uint8Array(bytes.length);
  for (let part = 0, to = 0; part < size; part++)
    for (let at = 0; at < count; at++) made[to++] = bytes[at * size + part] as number;
  return made;
}

/** Fills `numbers` from transposed bytes. */
function restored<Made extends Numbers>(bytes: Uint8Array, numbers: Made): Made {
  const made = new Uint8Array(numbers.buffer);
  const [size, count] = [numbers.BYTES_PER_ELEMENT, numbers.length];
  for (let part = 0, from = 0; part < size; part++)
    for (let at = 0; at < count; at++) made[at * size + part] = bytes[from++] as number;
  return numbers;
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

class Source {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error('A block ends before its declared length.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  uint32(): number {
    const bytes = this.take(4);
    return Buffer.from(bytes).readUInt32LE(0);
  }
}
