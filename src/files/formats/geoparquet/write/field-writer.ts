import type { Context } from '../../define.ts';
import { converted, logical, physical } from '../parquet/constants.ts';
import { struct } from '../parquet/thrift-writer.ts';
import { type ColumnSpec, ColumnWriter, integerType, timestampType } from './column-writer.ts';
import type { OutputField } from './output-field.ts';
import type { CommonTexts, RecordReader } from './records.ts';
import { tags } from './records.ts';

export function specOf({ name, type, isZoned = false }: OutputField): ColumnSpec {
  const path = [name];
  switch (type) {
    case 'boolean':
      return { path, type: physical.boolean };
    case 'integer':
      return { path, type: physical.int32 };
    case 'integer64':
      return { path, type: physical.int64 };
    case 'unsigned64':
      return { path, type: physical.int64, annotation: integerType(64, false), converted: converted.uint64 };
    case 'real':
      return { path, type: physical.double };
    case 'date':
      return { path, type: physical.int32, annotation: { [logical.date]: struct({}) }, converted: converted.date };
    case 'dateTime':
      return {
        path,
        type: physical.int64,
        annotation: timestampType(isZoned),
        ...(isZoned ? { converted: converted.timestampMicros } : {}),
      };
    case 'json':
      return { path, type: physical.bytes, annotation: { [logical.json]: struct({}) }, converted: converted.json };
  }
  return { path, type: physical.bytes, annotation: { [logical.string]: struct({}) }, converted: converted.utf8 };
}

/** Writes the values of records into columns of the final type. */
export class FieldWriter {
  readonly field: OutputField;
  readonly spec: ColumnSpec;
  column: ColumnWriter;
  readonly #common: CommonTexts;
  /** The texts that have a number, as bytes. */
  readonly #texts: Buffer[];
  readonly #isText: boolean;
  /** Their times or days by number. */
  readonly #times = new Map<number, number | bigint>();
  #rounded = 0;
  #isCut = false;
  #isMoved = false;

  readonly #mostIndexed: number;

  /** @param rows of a row group, each of which has a dictionary of its own */
  constructor(field: OutputField, common: CommonTexts, rows: number) {
    this.#mostIndexed = rows / 4;
    this.field = field;
    this.spec = specOf(field);
    this.#common = common;
    this.#isText = field.type === 'string' || field.type === 'json';
    this.#texts = this.#isText ? common.texts.map((text) => Buffer.from(text)) : [];
    this.column = this.#newColumn();
  }

  /** A dictionary only if it has all values. */
  #newColumn(): ColumnWriter {
    const isIndexed = this.#isText && !this.#common.isFull && this.field.type !== 'json' && !this.field.becameText;
    return new ColumnWriter(
      this.spec,
      isIndexed && this.#texts.length > 0 && this.#texts.length <= this.#mostIndexed ? { dictionary: this.#texts } : {},
    );
  }

  /** The column so far; the next values go to a new one. */
  take(): ColumnWriter {
    const { column } = this;
    this.column = this.#newColumn();
    return column;
  }

  put(record: RecordReader): void {
    const tag = record.next();
    const { column } = this;
    if (tag === tags.none) column.null();
    else if (this.#isText) this.#text(record, tag);
    else if (tag === tags.true || tag === tags.false) column.boolean(tag === tags.true);
    else if (tag === tags.text || tag === tags.index) column.number(this.#worded(record, tag));
    else column.number(this.field.type === 'real' ? this.#double(record.number) : this.#integer(record.number));
  }

  #double(value: number | bigint): number {
    const rounded = Number(value);
    if (typeof value === 'bigint' && BigInt(rounded) !== value) this.#rounded++;
    return rounded;
  }

  /** The spec of 64 bits takes numbers where they are safe. */
  #integer(value: number | bigint): number | bigint {
    if (typeof value === 'number') return value;
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  #text(record: RecordReader, tag: number): void {
    const { column } = this;
    if (tag === tags.text) column.text(record.bytes, record.start, record.end);
    else if (tag === tags.index && column.hasDictionary) column.index(record.number as number);
    else {
      const text = tag === tags.index ? this.#texts[record.number as number]! : Buffer.from(textOf(tag, record.number));
      column.text(text, 0, text.length);
    }
  }

  /** Of the texts of a column of numbers: times, and integers that take more than 64 bits. */
  #worded(record: RecordReader, tag: number): number | bigint {
    if (tag === tags.text) return this.#parsed(record.bytes.toString('latin1', record.start, record.end));
    const index = record.number as number;
    const known = this.#times.get(index) ?? this.#parsed(this.#common.texts[index]!);
    this.#times.set(index, known);
    return known;
  }

  /** Days or microseconds since 1970; a double. */
  #parsed(text: string): number | bigint {
    if (this.field.type === 'real') return this.#double(BigInt(text));
    const day = Date.parse(`${text.slice(0, 4)}-${text.slice(5, 7)}-${text.slice(8, 10)}T00:00:00Z`);
    if (this.field.type === 'date') return day / 86_400_000;
    const [, hours = 0, minutes = 0, seconds = 0, fraction = '', zone = 'Z'] =
      /^.{10}(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-].*)?)?$/i.exec(text) ?? [];
    if (/[1-9]/.test(fraction.slice(6))) this.#isCut = true;
    const [, sign = '+', zoneHours = 0, zoneMinutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
    const offset = (sign === '-' ? -60 : 60) * (60 * Number(zoneHours) + Number(zoneMinutes));
    if (offset !== 0) this.#isMoved = true;
    const whole = day / 1000 + 3600 * Number(hours) + 60 * Number(minutes) + Number(seconds) - offset;
    const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
    const all = whole * 1_000_000 + micros;
    return Number.isSafeInteger(all) ? all : BigInt(whole) * 1_000_000n + BigInt(micros);
  }

  report({ reportLoss, remark }: Pick<Context, 'reportLoss' | 'remark'>): void {
    const { name, hasBothZones, becameText } = this.field;
    const short = name.slice(0, 80);
    if (this.#rounded > 0) reportLoss(`${this.#rounded} integers of '${short}' were rounded to double precision.`);
    if (this.#isCut) reportLoss(`Times of '${short}' were cut to microseconds.`);
    if (hasBothZones)
      reportLoss(`Times of '${short}' were written as text, because some have a zone and others do not.`);
    else if (becameText) reportLoss(`Values of '${short}' were written as text, because they have different types.`);
    if (this.#isMoved) remark(`Times of '${short}' were written in UTC.`);
  }
}

const textOf = (tag: number, number: number | bigint): string =>
  tag === tags.true ? 'true' : tag === tags.false ? 'false' : String(number);
