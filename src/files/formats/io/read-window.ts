import type { ByteSource } from '../../data/bytes.ts';

const minLength = 1 << 19;

/** A part of a source in memory, with read-ahead. Most accesses find their bytes in it and need not wait. */
export class ReadWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** Offset of `bytes[0]` in the source. */
  start = 0;
  readonly source: ByteSource;
  #ahead: { offset: number; bytes: Promise<Uint8Array> } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
  }

  has(offset: number, length: number): boolean {
    return offset >= this.start && offset + length <= this.start + this.bytes.length;
  }

  /** Loads `length` bytes from `offset` on, or fewer at the end of the source. */
  async move(offset: number, length: number): Promise<void> {
    const { source } = this;
    const ahead = this.#ahead;
    let bytes: Uint8Array | undefined;
    if (ahead !== undefined && offset >= ahead.offset && offset + length <= ahead.offset + minLength)
      bytes = await ahead.bytes;
    if (bytes === undefined || ahead === undefined) {
      this.start = offset;
      bytes = await source.read(offset, Math.max(length, minLength));
    } else this.start = ahead.offset;
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // The next access usually begins with the record that the end of this part cuts off: read ahead with an overlap.
    const next = this.start + bytes.length - Math.min(1 << 14, bytes.length >> 1);
    this.#ahead = undefined;
    if (bytes.length >= minLength && this.start + bytes.length < source.size) {
      const read = source.read(next, minLength);
      read.catch(() => {});
      this.#ahead = { offset: next, bytes: read };
    }
  }
}
