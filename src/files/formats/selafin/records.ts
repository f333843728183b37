import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { swapBytes } from '../io/buffers.ts';

/** Bytes before and after the content of a record: its length. */
export const MARKERS = 8;

export type Numbers = 'Int32' | 'Float32' | 'Float64';

const widths: Readonly<Record<Numbers, number>> = { Int32: 4, Float32: 4, Float64: 8 };

/** Sequential unformatted records of Fortran, each between two lengths. */
export class FortranRecords {
  readonly source: ByteSource;
  readonly #bigEndian: boolean;

  constructor(source: ByteSource, bigEndian: boolean) {
    this.source = source;
    this.#bigEndian = bigEndian;
  }

  /** The same records from other bytes. */
  of(source: ByteSource): FortranRecords {
    return new FortranRecords(source, this.#bigEndian);
  }

  /** Length of the content of the record at this offset. */
  async lengthAt(offset: number): Promise<number> {
    const bytes = await this.source.read(offset, 4);
    if (bytes.length < 4) throw new FormatError('The file ends where a record should begin.', offset);
    const length = this.#integer(bytes, 0);
    if (length + MARKERS > this.source.size - offset)
      throw new FormatError(`A record declares ${length} bytes, but the file ends before.`, offset);
    return length;
  }

  /**
   * The content of a record.
   * @param length that it must have
   * @param what it holds, for the message
   */
  async read(offset: number, length: number, what: string): Promise<Buffer> {
    const declared = await this.lengthAt(offset);
    if (declared !== length)
      throw new FormatError(`The record with ${what} has ${declared} bytes instead of ${length}.`, offset);
    const bytes = await this.source.read(offset + 4, length + 4);
    if (bytes.length < length + 4 || this.#integer(bytes, length) !== length)
      throw new FormatError(`The record with ${what} does not end with its length ${length}.`, offset);
    return Buffer.from(bytes.buffer, bytes.byteOffset, length);
  }

  /** The numbers of a record. */
  async numbers<T extends Numbers>(offset: number, count: number, type: T, what: string) {
    const bytes = await this.read(offset, count * widths[type], what);
    // Memory of their own, aligned.
    const own = Buffer.from(new Uint8Array(bytes).buffer);
    if (this.#bigEndian) swapBytes(own, widths[type]);
    const Values = { Int32: Int32Array, Float32: Float32Array, Float64: Float64Array }[type];
    return new Values(own.buffer, own.byteOffset, count) as T extends 'Int32'
      ? Int32Array
      : Float32Array | Float64Array;
  }

  #integer(bytes: Uint8Array, at: number): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4);
    return view.getUint32(0, !this.#bigEndian);
  }
}
