import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { ZipEntry } from './zip.ts';
import { shown } from './zip.ts';

const piece = 1 << 18;
/** Unpacking to more than this at more than that ratio is a bomb. */
const suspicious = 100_000_000;
const largestRatio = 200;

/** Where the bytes of an entry begin: behind its local header, whose name and extra field need not be those of the directory. */
async function dataStart(zip: ByteSource, entry: ZipEntry): Promise<number> {
  const header = await zip.read(entry.offset, 30);
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  if (header.length < 30 || view.getUint32(0, true) !== 0x04034b50)
    throw new FormatError(`'${shown(entry.name)}' is not where the zip's directory says.`, entry.offset);
  const start = entry.offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + entry.packed > entry.limit)
    throw new FormatError(`'${shown(entry.name)}' in the zip overlaps what comes after it.`, entry.offset);
  return start;
}

/** A small entry whole. Undefined when it is larger than `most`. */
export async function readEntry(zip: ByteSource, entry: ZipEntry, most: number): Promise<Buffer | undefined> {
  if (entry.size > most || entry.packed > 2 * most + 64) return undefined;
  const start = await dataStart(zip, entry);
  const packed = await zip.read(start, entry.packed);
  let bytes: Buffer;
  try {
    bytes =
      entry.method === 0
        ? Buffer.from(packed.buffer, packed.byteOffset, packed.length)
        : inflateRawSync(packed, { maxOutputLength: entry.size + 1 });
  } catch {
    throw new FormatError(`'${shown(entry.name)}' in the zip cannot be inflated.`, start);
  }
  checkWhole(entry, bytes.length, crc32(bytes), start);
  return bytes;
}

function checkWhole(entry: ZipEntry, size: number, crc: number, place: number): void {
  if (size !== entry.size)
    throw new FormatError(
      `'${shown(entry.name)}' unpacks to ${size} bytes; the zip's directory says ${entry.size}.`,
      place,
    );
  if (crc !== entry.crc) throw new FormatError(`The checksum of '${shown(entry.name)}' in the zip is wrong.`, place);
}

/** @throws FormatError when these entries are bombs, or together larger than the room that the scratch folder has */
export async function checkUnpackedSize(entries: readonly ZipEntry[], scratch: string): Promise<void> {
  let size = 0;
  for (const entry of entries) {
    if (entry.size > suspicious && entry.size > largestRatio * entry.packed) throw bomb(entry);
    size += entry.size;
  }
  const { bavail, bsize } = await statfs(scratch);
  if (size > bavail * bsize)
    throw new FormatError(`The zip unpacks to ${size} bytes; the scratch folder has room for ${bavail * bsize}.`);
}

const bomb = (entry: ZipEntry) =>
  new FormatError(
    `'${shown(entry.name)}' in the zip unpacks to more than ${largestRatio} times its size: this is a bomb.`,
    entry.offset,
  );

/** An entry as a file in the scratch folder. It is unpacked in the background: a read waits until its bytes are there. */
export class UnpackedEntry implements ByteSource {
  readonly size: number;
  readonly path: string;
  readonly #file: FileHandle;
  #there = 0;
  #failure: { error: unknown } | undefined;
  #closed = false;
  #wake: (() => void)[] = [];
  readonly #work: Promise<void>;

  private constructor(zip: ByteSource, entry: ZipEntry, path: string, file: FileHandle) {
    this.size = entry.size;
    this.path = path;
    this.#file = file;
    this.#work = this.#unpack(zip, entry).catch((error: unknown) => {
      this.#failure = { error };
      this.#rouse();
    });
  }

  static async open(zip: ByteSource, entry: ZipEntry, scratch: string): Promise<UnpackedEntry> {
    const path = join(scratch, randomUUID());
    return new UnpackedEntry(zip, entry, path, await open(path, 'wx+'));
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length);
    while (this.#there < end || (end === this.size && this.#there <= this.size)) {
      if (this.#failure !== undefined) throw this.#failure.error;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, end - offset));
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, done, bytes.length - done, offset + done);
      if (bytesRead === 0) throw new Error(`${this.path} was cut short.`);
      done += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#work;
    await this.#file.close();
  }

  #rouse(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const resolve of waiting) resolve();
  }

  async #unpack(zip: ByteSource, entry: ZipEntry): Promise<void> {
    const start = await dataStart(zip, entry);
    let crc = 0;
    let size = 0;
    for await (const [bytes, taken] of entry.method === 0 ? stored(zip, entry, start) : inflated(zip, entry, start)) {
      if (this.#closed) return;
      if (size + bytes.length > entry.size) checkWhole(entry, size + bytes.length, 0, start);
      crc = crc32(bytes, crc);
      let done = 0;
      while (done < bytes.length) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, size + done);
        done += bytesWritten;
      }
      size += bytes.length;
      if (size > suspicious && size > largestRatio * taken) throw bomb(entry);
      // The last byte is given out only when the checksum is right: see the end.
      this.#there = Math.min(size, entry.size - 1);
      this.#rouse();
    }
    checkWhole(entry, size, crc, start);
    this.#there = entry.size + 1;
    this.#rouse();
  }
}

/** Pieces, each with the number of packed bytes that were taken so far. */
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
      // A stream that was destroyed need not answer any more.
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
