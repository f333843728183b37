import type { ByteSource } from '../../data/bytes.ts';

const least = 1 << 19;

/** A piece of a source in memory, moved along as it is read. Nearly all looks into it need no waiting. */
export class ReadWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** Place of `bytes[0]` in the source. */
  start = 0;
  readonly source: ByteSource;
  #ahead: { offset: number; bytes: Promise<Uint8Array> } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
  }

  has(offset: number, length: number): boolean {
    return offset >= this.start && offset + length <= this.start + this.bytes.length;
  }

  /** Makes `has(offset, length)` true, as far as the source goes. */
  async move(offset: number, length: number): Promise<void> {
    const { source } = this;
    const ahead = this.#ahead;
    let bytes: Uint8Array | undefined;
    if (ahead !== undefined && offset >= ahead.offset && offset + length <= ahead.offset + least)
      bytes = await ahead.bytes;
    if (bytes === undefined || ahead === undefined) {
      this.start = offset;
      bytes = await source.read(offset, Math.max(length, least));
    } else this.start = ahead.offset;
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // Mostly the next look begins with what is cut off at the end of this piece.
    const next = this.start + bytes.length - Math.min(1 << 14, bytes.length >> 1);
    this.#ahead = undefined;
    if (bytes.length >= least && this.start + bytes.length < source.size) {
      const read = source.read(next, least);
      read.catch(() => {});
      this.#ahead = { offset: next, bytes: read };
    }
  }
}
