import { isDate, isDateTime } from '../../data/date-text.ts';
import type { Field } from '../../data/feature-collection.ts';
import { columnTypes } from '../io/flatgeobuf/schema.ts';

const { Bool, Int, Long, Double, String: Text, Json, DateTime } = columnTypes;

const typeOfField: Readonly<Record<Field['type'], number>> = {
  string: Text,
  integer: Int,
  integer64: Long,
  real: Double,
  boolean: Bool,
  date: DateTime,
  dateTime: DateTime,
  json: Json,
};

/** First feature for which a column had a type: a value that did not fit widened it. */
interface Era {
  readonly feature: number;
  readonly type: number;
}

/** A column of the output. Its type follows that of its field, and widens with the first value that does not fit. */
export class OutputColumn {
  readonly name: string;
  readonly field: Field | undefined;
  /** Integers that a column of doubles cannot hold exactly. */
  rounded = 0;
  /** No feature has a value. */
  unused = true;
  #dated = false;
  readonly #eras: Era[];

  /** @param field absent: the ids of the features */
  constructor(name: string, field: Field | undefined) {
    this.name = name;
    this.field = field;
    this.#eras = [{ feature: 0, type: field === undefined ? Int : typeOfField[field.type] }];
  }

  get type(): number {
    return this.#eras.at(-1)!.type;
  }

  get widened(): boolean {
    return this.#eras.length > 1;
  }

  /** All values are dates without time. */
  get isDate(): boolean {
    return this.field?.type === 'date' && this.type === DateTime && !this.#dated;
  }

  /** The type that values of this feature were written in. */
  typeAt(feature: number): number {
    let n = this.#eras.length - 1;
    while (this.#eras[n]!.feature > feature) n--;
    return this.#eras[n]!.type;
  }

  /**
   * Writes a value that is not null behind its column's number, and returns its end. The room for it must be reserved.
   */
  put(bytes: Buffer, at: number, value: unknown, feature: number): number {
    // ids have the type of the first one
    if (this.unused && this.field === undefined && typeof value === 'string')
      this.#eras[0] = { feature: 0, type: Text };
    this.unused = false;
    for (;;) {
      const end = this.#write(bytes, at, value);
      if (end > 0) return end;
      this.#eras.push({ feature, type: wider(this.type, value) });
    }
  }

  /** 0 for a value that does not fit the type. */
  #write(bytes: Buffer, at: number, value: unknown): number {
    switch (this.type) {
      case Bool:
        return typeof value === 'boolean' ? bytes.writeUInt8(value ? 1 : 0, at) : 0;
      case Int:
        return typeof value === 'number' && (value | 0) === value ? bytes.writeInt32LE(value, at) : 0;
      case Long:
        return isLong(value) ? bytes.writeBigInt64LE(BigInt(value), at) : 0;
      case Double:
        return this.#double(bytes, at, value);
      case DateTime:
        if (typeof value !== 'string') return 0;
        if (isDateTime(value)) this.#dated = true;
        else if (!isDate(value)) return 0;
        return putText(bytes, at, iso(value));
      case Json:
        return putText(bytes, at, typeof value === 'string' ? value : JSON.stringify(plain(value)));
    }
    return putText(bytes, at, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }

  #double(bytes: Buffer, at: number, value: unknown): number {
    if (typeof value === 'number') return bytes.writeDoubleLE(value, at);
    if (typeof value !== 'bigint') return 0;
    const rounded = Number(value);
    if (BigInt(rounded) !== value) this.rounded++;
    return bytes.writeDoubleLE(rounded, at);
  }
}

/** Bytes that a value may take, with the number of its column. */
export const roomFor = (value: unknown): number =>
  typeof value === 'string'
    ? 6 + 3 * value.length
    : typeof value === 'object'
      ? 6 + 3 * JSON.stringify(value).length
      : 48;

/** Whether a value is written; others are absent. */
export const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && !(typeof value === 'number' && Number.isNaN(value));

const isLong = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);

/** The next type that may hold a value. */
function wider(type: number, value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') return Text;
  if (type === Int) return isLong(value) ? Long : Double;
  return type === Long ? Double : Text;
}

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/** `2024/12/31 23:59` → `2024-12-31T23:59`. */
function iso(text: string): string {
  const slash = text[4] === '/';
  if (!slash && text[10] !== ' ') return text;
  const day = text.slice(0, 10).replaceAll('/', '-');
  return text.length === 10 ? day : `${day}T${text.slice(11)}`;
}

function putText(bytes: Buffer, at: number, text: string): number {
  const length = bytes.write(text, at + 4, 'utf8');
  bytes.writeUInt32LE(length, at);
  return at + 4 + length;
}
