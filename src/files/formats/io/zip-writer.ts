import { crc32 } from 'node:zlib';
import type { ByteSink } from '../../data/bytes.ts';
import { crc32Combine, type DeflateSpool, deflatePiece } from './deflate-spool.ts';

/**
 * Pieces compressed in parallel on the thread pool. Compressing pieces independently costs less than a percent of size.
 */
const maxPending = 3;
const limit32 = 0xffffffff;

interface WrittenEntry {
  name: Buffer;
  method: 0 | 8;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/**
 * Writes a zip of deflated or stored entries with UTF-8 names, from front to back. The same content always gives the
 * same bytes.
 */
export class ZipWriter {
  readonly #sink: ByteSink;
  readonly #entries: WrittenEntry[] = [];

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Adds an entry of `size` bytes. Each piece is compressed independently; 256 kB per piece work well. */
  async add(name: string, size: number, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.#entry(name, { size, method: 8 }, async () => {
      const pending: Promise<Uint8Array>[] = [];
      let at = 0;
      let crc = 0;
      for await (const bytes of pieces) {
        crc = crc32(bytes, crc);
        at += bytes.length;
        const compressed = deflatePiece(bytes, at === size);
        // A failure is thrown when this piece is appended.
        compressed.catch(() => {});
        pending.push(compressed);
        if (pending.length >= maxPending) await this.#sink.append(await pending.shift()!);
      }
      for (const compressed of pending) await this.#sink.append(await compressed);
      if (at !== size) throw new Error(`${name} has ${at} bytes, not ${size}.`);
      return crc;
    });
  }

  /** Adds an entry of a head and a body that is compressed already. */
  async addSpooled(name: string, head: Uint8Array, body: DeflateSpool): Promise<void> {
    await this.#entry(name, { size: head.length + body.size, method: 8 }, async () => {
      await this.#sink.append(await deflatePiece(head));
      for await (const piece of body.pieces()) await this.#sink.append(piece);
      return crc32Combine(crc32(head), body.crc, body.size);
    });
  }

  /** Adds an entry that is compressed already, as it is. The pieces stay the caller's; `load` gets the bytes of one. */
  async addStored<P extends { readonly length: number }>(
    name: string,
    pieces: readonly P[],
    load: (piece: P) => Promise<Uint8Array>,
  ): Promise<void> {
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    await this.#entry(name, { size, method: 0 }, async () => {
      let crc = 0;
      for (const piece of pieces) {
        const bytes = await load(piece);
        crc = crc32(bytes, crc);
        // `slice` of a Buffer is a view, and the sink reuses memory that it has written.
        await this.#sink.append(new Uint8Array(bytes));
      }
      return crc;
    });
  }

  /** Adds an entry of another zip as it is. */
  async addCopy(
    name: string,
    { size, method, crc }: Pick<WrittenEntry, 'size' | 'method' | 'crc'>,
    packed: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await this.#entry(name, { size, method }, async () => {
      for await (const bytes of packed) await this.#sink.append(bytes);
      return crc;
    });
  }

  /** `content` writes the packed bytes and returns the CRC-32 of the unpacked ones. */
  async #entry(
    name: string,
    { size, method }: Pick<WrittenEntry, 'size' | 'method'>,
    content: () => Promise<number>,
  ): Promise<void> {
    const offset = this.#sink.position;
    const label = Buffer.from(name);
    const wide = size >= limit32 - (1 << 24);
    await this.#sink.append(localHeader(label, method, wide));
    const start = this.#sink.position;
    const crc = await content();
    const entry = { name: label, method, crc, packed: this.#sink.position - start, size, offset };
    await this.#sink.append(descriptor(entry, wide));
    this.#entries.push(entry);
  }

  async addBytes(name: string, bytes: Uint8Array): Promise<void> {
    await this.add(name, bytes.length, [bytes]);
  }

  /** Writes the central directory. No entries may follow. */
  async finish(): Promise<void> {
    const start = this.#sink.position;
    for (const entry of this.#entries) await this.#sink.append(directoryEntry(entry));
    await this.#sink.append(directoryEnd(this.#entries.length, start, this.#sink.position));
  }
}

/** 1980-01-01, the earliest date of the format. */
const date = 0x21;
/** Sizes follow the data (bit 3), and names are UTF-8 (bit 11). */
const flags = 0x808;

function localHeader(name: Buffer, method: number, wide: boolean): Uint8Array {
  const bytes = Buffer.alloc(30 + name.length + (wide ? 20 : 0));
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(wide ? 45 : 20, 4);
  bytes.writeUInt16LE(flags, 6);
  bytes.writeUInt16LE(method, 8);
  bytes.writeUInt16LE(date, 12);
  bytes.writeUInt16LE(name.length, 26);
  name.copy(bytes, 30);
  if (wide) {
    bytes.writeUInt32LE(limit32, 18);
    bytes.writeUInt32LE(limit32, 22);
    bytes.writeUInt16LE(20, 28);
    bytes.writeUInt16LE(1, 30 + name.length);
    bytes.writeUInt16LE(16, 32 + name.length);
  }
  return bytes;
}

function descriptor({ crc, packed: packedSize, size }: WrittenEntry, wide: boolean): Uint8Array {
  const bytes = Buffer.alloc(wide ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (wide) {
    bytes.writeBigUInt64LE(BigInt(packedSize), 8);
    bytes.writeBigUInt64LE(BigInt(size), 16);
  } else {
    bytes.writeUInt32LE(packedSize, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

function directoryEntry({ name, method, crc, packed: packedSize, size, offset }: WrittenEntry): Uint8Array {
  const wide = [size, packedSize, offset].filter((value) => value >= limit32);
  const extra = wide.length === 0 ? 0 : 4 + 8 * wide.length;
  const bytes = Buffer.alloc(46 + name.length + extra);
  bytes.writeUInt32LE(0x02014b50, 0);
  // Made on Unix, so that programs take names as they are.
  bytes.writeUInt16LE(0x32d, 4);
  bytes.writeUInt16LE(extra === 0 ? 20 : 45, 6);
  bytes.writeUInt16LE(flags, 8);
  bytes.writeUInt16LE(method, 10);
  bytes.writeUInt16LE(date, 14);
  bytes.writeUInt32LE(crc, 16);
  bytes.writeUInt32LE(Math.min(packedSize, limit32), 20);
  bytes.writeUInt32LE(Math.min(size, limit32), 24);
  bytes.writeUInt16LE(name.length, 28);
  bytes.writeUInt16LE(extra, 30);
  // A regular file with mode 644.
  bytes.writeUInt32LE((0o100644 << 16) >>> 0, 38);
  bytes.writeUInt32LE(Math.min(offset, limit32), 42);
  name.copy(bytes, 46);
  if (extra > 0) {
    bytes.writeUInt16LE(1, 46 + name.length);
    bytes.writeUInt16LE(8 * wide.length, 48 + name.length);
    for (const [n, value] of wide.entries()) bytes.writeBigUInt64LE(BigInt(value), 50 + name.length + 8 * n);
  }
  return bytes;
}

function directoryEnd(count: number, start: number, end: number): Uint8Array {
  const wide = count >= 0xffff || end >= limit32;
  const bytes = Buffer.alloc((wide ? 76 : 0) + 22);
  let at = 0;
  if (wide) {
    bytes.writeUInt32LE(0x06064b50, 0);
    bytes.writeBigUInt64LE(44n, 4);
    bytes.writeUInt16LE(45, 12);
    bytes.writeUInt16LE(45, 14);
    bytes.writeBigUInt64LE(BigInt(count), 24);
    bytes.writeBigUInt64LE(BigInt(count), 32);
    bytes.writeBigUInt64LE(BigInt(end - start), 40);
    bytes.writeBigUInt64LE(BigInt(start), 48);
    bytes.writeUInt32LE(0x07064b50, 56);
    bytes.writeBigUInt64LE(BigInt(end), 64);
    bytes.writeUInt32LE(1, 72);
    at = 76;
  }
  bytes.writeUInt32LE(0x06054b50, at);
  bytes.writeUInt16LE(Math.min(count, 0xffff), at + 8);
  bytes.writeUInt16LE(Math.min(count, 0xffff), at + 10);
  bytes.writeUInt32LE(Math.min(end - start, limit32), at + 12);
  bytes.writeUInt32LE(Math.min(start, limit32), at + 16);
  return bytes;
}
