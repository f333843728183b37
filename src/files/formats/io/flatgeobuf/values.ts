import type { FlatTable, Span } from './flat-table.ts';
import type { FlatColumn } from './header-reader.ts';
import { columnTypes, featureSlots, valueBytes } from './schema.ts';

/** Reads a value of a column's type. Bounds are the caller's: `length` bytes from `at` on. */
export function valueAt(bytes: Buffer, type: number, at: number, length: number): unknown {
  switch (type) {
    case columnTypes.Byte:
      return bytes.readInt8(at);
    case columnTypes.UByte:
      return bytes[at];
    case columnTypes.Bool:
      return bytes[at] !== 0;
    case columnTypes.Short:
      return bytes.readInt16LE(at);
    case columnTypes.UShort:
      return bytes.readUInt16LE(at);
    case columnTypes.Int:
      return bytes.readInt32LE(at);
    case columnTypes.UInt:
      return bytes.readUInt32LE(at);
    case columnTypes.Long:
      return safe(bytes.readBigInt64LE(at));
    case columnTypes.ULong:
      return safe(bytes.readBigUInt64LE(at));
    case columnTypes.Float:
      return present(bytes.readFloatLE(at));
    case columnTypes.Double:
      return present(bytes.readDoubleLE(at));
  }
  return bytes.toString('utf8', at, at + length);
}

const present = (value: number): number | null => (Number.isNaN(value) ? null : value);

const safe = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

/** Calls `each` with the column, position and length of each value of a feature. */
export function eachValue(
  table: FlatTable,
  { at: start, count }: Span,
  typeOf: (column: number) => number | undefined,
  each: (column: number, type: number, at: number, length: number) => void,
): void {
  const { bytes } = table;
  const end = start + count;
  for (let at = start; at < end; ) {
    if (at + 2 > end) table.fail('The values of a feature end within the number of a column.', at);
    const column = bytes.readUInt16LE(at);
    const type = typeOf(column);
    if (type === undefined) table.fail(`A feature has a value of column ${column + 1}, which the header lacks.`, at);
    at += 2;
    let length = valueBytes[type]!;
    if (length === 0) {
      if (at + 4 > end) table.fail('The values of a feature end within the length of a text.', at);
      length = bytes.readUInt32LE(at);
      at += 4;
    }
    if (at + length > end)
      table.fail(`A value of ${length} bytes is longer than the ${end - at} that its feature has left.`, at);
    each(column, type, at, length);
    at += length;
  }
}

/** Reads the values of features. */
export class ValueReader {
  readonly #columns: readonly FlatColumn[];
  /** Index of each column among the values; -1 if the column is not read. */
  readonly #places: readonly number[];
  readonly #noValues: readonly null[];

  /** @param wanted numbers of the fields that are read; the others are null. Absent: all. */
  constructor(columns: readonly FlatColumn[], wanted?: ReadonlySet<number>) {
    this.#columns = columns;
    let fields = 0;
    this.#places = columns.map(({ field }) => (field === undefined ? -1 : fields++));
    if (wanted !== undefined) this.#places = this.#places.map((place) => (wanted.has(place) ? place : -1));
    this.#noValues = Array.from({ length: fields }, () => null);
  }

  read(feature: FlatTable): { values: readonly unknown[]; id?: string | number } {
    const properties = feature.vector(featureSlots.properties, 1);
    if (properties === undefined || properties.count === 0) return { values: this.#noValues };
    const values: unknown[] = this.#noValues.slice();
    let id: string | number | undefined;
    const typeOf = (column: number) => this.#columns[column]?.type;
    eachValue(feature, properties, typeOf, (column, type, at, length) => {
      const place = this.#places[column]!;
      if (place >= 0) values[place] = valueAt(feature.bytes, type, at, length);
      else if (this.#columns[column]!.isId) id = idOf(valueAt(feature.bytes, type, at, length));
    });
    return { values, ...(id === undefined ? {} : { id }) };
  }
}

const idOf = (value: unknown): string | number | undefined =>
  value === null ? undefined : typeof value === 'number' ? value : String(value);
