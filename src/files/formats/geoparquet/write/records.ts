import type { BufferedWriter } from '../../io/buffered-writer.ts';

/** How a value stands in a record of the temporary file. */
export const tags = { none: 0, text: 1, index: 2, double: 3, long: 4, unsigned: 5, false: 6, true: 7 } as const;

/** Values of a column that get a number, as long as there are few different ones. */
export class CommonTexts {
  readonly texts: string[] = [];
  /** There are too many. */
  isFull = false;
  readonly #numbers = new Map<string, number>();

  /** The number of a text; undefined if it has none, as all have once there are too many: to search costs too much. */
  find(text: string): number | undefined {
    if (this.isFull) return undefined;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.texts.length === mostTexts || text.length > longestText) {
      this.isFull = true;
      return undefined;
    }
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

const [mostTexts, longestText] = [2048, 256];

/** Whether a value is written; others are null. */
export const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && !(typeof value === 'number' && Number.isNaN(value));

/** Appends a value. Returns its size in bytes. */
export function putValue(out: BufferedWriter, value: unknown, common: CommonTexts): number {
  if (!isPresent(value)) {
    out.reserve(1);
    out.bytes[out.at++] = tags.none;
    return 1;
  }
  if (typeof value === 'string') return putText(out, value, common);
  out.reserve(9);
  switch (typeof value) {
    case 'number':
      out.bytes[out.at] = tags.double;
      out.at = out.bytes.writeDoubleLE(value, out.at + 1);
      return 9;
    case 'boolean':
      out.bytes[out.at++] = value ? tags.true : tags.false;
      return 1;
    case 'bigint':
      if (BigInt.asIntN(64, value) === value) {
        out.bytes[out.at] = tags.long;
        out.at = out.bytes.writeBigInt64LE(value, out.at + 1);
        return 9;
      }
      if (BigInt.asUintN(64, value) === value) {
        out.bytes[out.at] = tags.unsigned;
        out.at = out.bytes.writeBigUInt64LE(value, out.at + 1);
        return 9;
      }
      return putText(out, String(value), common);
  }
  return putText(out, JSON.stringify(value), common);
}

function putText(out: BufferedWriter, text: string, common: CommonTexts): number {
  const number = common.find(text);
  if (number !== undefined) {
    out.reserve(5);
    out.bytes[out.at] = tags.index;
    out.at = out.bytes.writeUInt32LE(number, out.at + 1);
    return 5;
  }
  out.reserve(5 + 3 * text.length);
  const start = out.at;
  out.bytes[start] = tags.text;
  out.at = start + 5;
  const length = out.utf8(text);
  out.bytes.writeUInt32LE(length, start + 1);
  return 5 + length;
}

/** Reads the values of records. */
export class RecordReader {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** Where the text of the last value stands. */
  start = 0;
  end = 0;
  /** The number of the last value, or that of its text. */
  number: number | bigint = 0;

  /** The next value. Returns how it stands in the record. */
  next(): number {
    const { bytes } = this;
    const tag = bytes[this.at++]!;
    switch (tag) {
      case tags.text:
        this.start = this.at + 4;
        this.end = this.start + bytes.readUInt32LE(this.at);
        this.at = this.end;
        break;
      case tags.index:
        this.number = bytes.readUInt32LE(this.at);
        this.at += 4;
        break;
      case tags.double:
        this.number = bytes.readDoubleLE(this.at);
        this.at += 8;
        break;
      case tags.long:
        this.number = bytes.readBigInt64LE(this.at);
        this.at += 8;
        break;
      case tags.unsigned:
        this.number = bytes.readBigUInt64LE(this.at);
        this.at += 8;
        break;
    }
    return tag;
  }
}
