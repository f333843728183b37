import { randomUUID } from 'node:crypto';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import type { ByteSource } from '../../data/bytes.ts';
import { writeFully } from '../../data/write-fully.ts';
import { FormatError } from '../../errors.ts';
import { bufferOf } from './buffers.ts';
import { readFully } from './bytes.ts';
import { shown, type ZipEntry } from './zip.ts';

const piece = 1 << 18;
/** Bytes of most local headers, with their name and extra field. */
const usualHeader = 512;
/** An entry that is larger than this and compressed by more than this ratio is taken for a zip bomb. */
const suspiciousSize = 100_000_000;
const maxRatio = 200;

/** Offset of the content: after the local header, whose name and extra field may differ from those in the directory. */
export const dataStart = async (zip: ByteSource, entry: ZipEntry): Promise<number> =>
  startIn(await zip.read(entry.offset, 30), entry);

function startIn(header: Uint8Array, entry: ZipEntry): number {
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  if (header.length < 30 || view.getUint32(0, true) !== 0x04034b50)
    throw new FormatError(
      `'${shown(entry.name)}' is not at the offset that the zip's directory declares.`,
      entry.offset,
    );
  const start = entry.offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + entry.packed > entry.limit)
    throw new FormatError(`'${shown(entry.name)}' in the zip overlaps the next entry.`, entry.offset);
  return start;
}

/** Reads a small entry into memory. Returns undefined if it is larger than `maxSize`. */
export async function readEntry(zip: ByteSource, entry: ZipEntry, maxSize: number): Promise<Buffer | undefined> {
  if (entry.size > maxSize || entry.packed > 2 * maxSize + 64) return undefined;
  // The header and its content in one read, if the header is as short as usual.
  const together = await zip.read(entry.offset, Math.min(entry.limit - entry.offset, entry.packed + usualHeader));
  const start = startIn(together, entry);
  const at = start - entry.offset;
  const packed =
    at + entry.packed <= together.length
      ? together.subarray(at, at + entry.packed)
      : await zip.read(start, entry.packed);
  let bytes: Buffer;
  try {
    bytes = entry.method === 0 ? bufferOf(packed) : inflateRawSync(packed, { maxOutputLength: entry.size + 1 });
  } catch {
    throw new FormatError(`'${shown(entry.name)}' in the zip cannot be inflated.`, start);
  }
  checkContent(entry, bytes.length, crc32(bytes), start);
  return bytes;
}

function checkContent(entry: ZipEntry, size: number, crc: number, offset: number): void {
  if (size !== entry.size)
    throw new FormatError(
      `'${shown(entry.name)}' unpacks to ${size} bytes, but the zip's directory declares ${entry.size}.`,
      offset,
    );
  if (crc !== entry.crc) throw new FormatError(`The checksum of '${shown(entry.name)}' in the zip is wrong.`, offset);
}

/** @throws FormatError if an entry is a zip bomb, or all entries together do not fit into the scratch folder */
export async function checkUnpackedSize(entries: readonly ZipEntry[], scratch: string): Promise<void> {
  let size = 0;
  for (const entry of entries) {
    if (entry.size > suspiciousSize && entry.size > maxRatio * entry.packed) throw zipBomb(entry);
    size += entry.size;
  }
  const { bavail, bsize } = await statfs(scratch);
  if (size > bavail * bsize)
    throw new FormatError(
      `The zip unpacks to ${size} bytes, but the scratch folder has only ${bavail * bsize} bytes free.`,
    );
}

const zipBomb = (entry: ZipEntry) =>
  new FormatError(
    `'${shown(entry.name)}' in the zip unpacks to more than ${maxRatio} times its size, like a zip bomb.`,
    entry.offset,
  );

/** Unpacks an entry into a file in the scratch folder, in the background. A read waits until its bytes are unpacked. */
export class UnpackedEntry implements ByteSource {
  readonly size: number;
  readonly path: string;
  readonly #file: FileHandle;
  /** Number of bytes that may be read; `size + 1` once the checksum is verified. */
  #available = 0;
  #failure: { error: unknown } | undefined;
  #closed = false;
  #waiting: (() => void)[] = [];
  readonly #unpacking: Promise<void>;

  private constructor(zip: ByteSource, entry: ZipEntry, path: string, file: FileHandle) {
    this.size = entry.size;
    this.path = path;
    this.#file = file;
    this.#unpacking = this.#unpack(zip, entry).catch((error: unknown) => {
      this.#failure = { error };
      this.#wakeReaders();
    });
  }

  static async open(zip: ByteSource, entry: ZipEntry, scratch: string): Promise<UnpackedEntry> {
    const path = join(scratch, randomUUID());
    return new UnpackedEntry(zip, entry, path, await open(path, 'wx+'));
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length);
    while (this.#available < end || (end === this.size && this.#available <= this.size)) {
      if (this.#failure !== undefined) throw this.#failure.error;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const bytes = await readFully(this.#file, offset, Math.max(0, end - offset));
    if (offset + bytes.length < end) throw new Error(`${this.path} was truncated.`);
    return bytes;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#unpacking;
    await this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #wakeReaders(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #unpack(zip: ByteSource, entry: ZipEntry): Promise<void> {
    const start = await dataStart(zip, entry);
    let crc = 0;
    let size = 0;
    for await (const [bytes, consumed] of entry.method === 0
      ? stored(zip, entry, start)
      : inflated(zip, entry, start)) {
      if (this.#closed) return;
      if (size + bytes.length > entry.size) checkContent(entry, size + bytes.length, 0, start);
      crc = crc32(bytes, crc);
      await writeFully(this.#file, size, bytes);
      size += bytes.length;
      if (size > suspiciousSize && size > maxRatio * consumed) throw zipBomb(entry);
      // Hold back the last byte until the checksum is verified.
      this.#available = Math.min(size, entry.size - 1);
      this.#wakeReaders();
    }
    checkContent(entry, size, crc, start);
    this.#available = entry.size + 1;
    this.#wakeReaders();
  }
}

/** Unpacks an entry into a file in the scratch folder. Returns its path once the checksum is verified. */
export async function unpackEntry(zip: ByteSource, entry: ZipEntry, scratch: string): Promise<string> {
  await using unpacked = await UnpackedEntry.open(zip, entry, scratch);
  // The last byte, or the end of an empty file, is available only after the checksum is verified.
  await unpacked.read(Math.max(0, entry.size - 1), 1);
  return unpacked.path;
}

/** Unpacked pieces, each with the number of compressed bytes consumed so far. */
type Pieces = AsyncGenerator<[Uint8Array, number]>;

async function* stored(zip: ByteSource, entry: ZipEntry, start: number): Pieces {
  for (let at = 0; at < entry.packed; at += piece) {
    const bytes = await zip.read(start + at, Math.min(piece, entry.packed - at));
    yield [bytes, at + bytes.length];
  }
}

async function* inflated(zip: ByteSource, entry: ZipEntry, start: number): Pieces {
  const inflate = createInflateRaw({ chunkSize: piece });
  const closed = new Promise<void>((resolve) => inflate.once('close', () => resolve()));
  const feed = async () => {
    for (let at = 0; at < entry.packed && !inflate.destroyed; at += piece) {
      const bytes = await zip.read(start + at, Math.min(piece, entry.packed - at));
      // A destroyed stream never calls back.
      await Promise.race([closed, new Promise<void>((resolve) => inflate.write(bytes, () => resolve()))]);
    }
    inflate.end();
  };
  const feeding = feed().catch((error: unknown) => inflate.destroy(error as Error));
  try {
    for await (const bytes of inflate) yield [bytes as Buffer, inflate.bytesWritten];
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new FormatError(`'${shown(entry.name)}' in the zip cannot be inflated.`, start + inflate.bytesWritten);
  } finally {
    inflate.destroy();
    await feeding;
  }
}
