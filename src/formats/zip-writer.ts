import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { ByteSink } from './types.ts';

const deflate = promisify(deflateRaw);
/** Pieces are packed apart, several at once on the thread pool; what they lose by not seeing each other is below a percent. */
const atOnce = 3;
/** Coordinates hardly shrink more at higher levels, which take several times as long. */
const level = 1;
const limit32 = 0xffffffff;

interface Written {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** A zip of deflated entries, written from front to back: UTF-8 names, the same bytes for the same content at any time. */
export class ZipWriter {
  readonly #sink: ByteSink;
  readonly #entries: Written[] = [];

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Each of the pieces, which have `size` bytes together, is packed apart: a quarter of a megabyte each is a good measure. */
  async add(name: string, size: number, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const entry = { name: Buffer.from(name), crc: 0, packed: 0, size, offset: this.#sink.position };
    const wide = size >= limit32 - (1 << 24);
    await this.#sink.append(localHeader(entry.name, wide));
    const start = this.#sink.position;
    const packing: Promise<Uint8Array>[] = [];
    let at = 0;
    for await (const bytes of pieces) {
      entry.crc = crc32(bytes, entry.crc);
      at += bytes.length;
      const finishFlush = at === size ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
      const packed = deflate(bytes, { level, finishFlush, chunkSize: Math.max(1024, bytes.length) });
      // A failure is met when its turn comes.
      packed.catch(() => {});
      packing.push(packed);
      if (packing.length >= atOnce) await this.#sink.append(await packing.shift()!);
    }
    for (const packed of packing) await this.#sink.append(await packed);
    if (at !== size) throw new Error(`${name} has ${at} bytes, not ${size}.`);
    entry.packed = this.#sink.position - start;
    await this.#sink.append(descriptor(entry, wide));
    this.#entries.push(entry);
  }

  async addBytes(name: string, bytes: Uint8Array): Promise<void> {
    await this.add(name, bytes.length, [bytes]);
  }

  /** The directory; nothing may be added after it. */
  async finish(): Promise<void> {
    const start = this.#sink.position;
    for (const entry of this.#entries) await this.#sink.append(directoryEntry(entry));
    await this.#sink.append(directoryEnd(this.#entries.length, start, this.#sink.position));
  }
}

/** 1980-01-01: the container's first day. */
const date = 0x21;
/** Sizes follow the data; the name is UTF-8. */
const flags = 0x808;

function localHeader(name: Buffer, wide: boolean): Uint8Array {
  const bytes = Buffer.alloc(30 + name.length + (wide ? 20 : 0));
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(wide ? 45 : 20, 4);
  bytes.writeUInt16LE(flags, 6);
  bytes.writeUInt16LE(8, 8);
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

function descriptor({ crc, packed, size }: Written, wide: boolean): Uint8Array {
  const bytes = Buffer.alloc(wide ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (wide) {
    bytes.writeBigUInt64LE(BigInt(packed), 8);
    bytes.writeBigUInt64LE(BigInt(size), 16);
  } else {
    bytes.writeUInt32LE(packed, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

function directoryEntry({ name, crc, packed, size, offset }: Written): Uint8Array {
  const wide = [size, packed, offset].filter((value) => value >= limit32);
  const extra = wide.length === 0 ? 0 : 4 + 8 * wide.length;
  const bytes = Buffer.alloc(46 + name.length + extra);
  bytes.writeUInt32LE(0x02014b50, 0);
  // Made on Unix, so that the names are taken as they are.
  bytes.writeUInt16LE(0x32d, 4);
  bytes.writeUInt16LE(extra === 0 ? 20 : 45, 6);
  bytes.writeUInt16LE(flags, 8);
  bytes.writeUInt16LE(8, 10);
  bytes.writeUInt16LE(date, 14);
  bytes.writeUInt32LE(crc, 16);
  bytes.writeUInt32LE(Math.min(packed, limit32), 20);
  bytes.writeUInt32LE(Math.min(size, limit32), 24);
  bytes.writeUInt16LE(name.length, 28);
  bytes.writeUInt16LE(extra, 30);
  // An ordinary file, readable by all.
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
