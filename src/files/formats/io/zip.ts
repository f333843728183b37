import { isUtf8 } from 'node:buffer';
import { setImmediate as turn } from 'node:timers/promises';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from './buffers.ts';
import { findEncoding } from './encoding.ts';

/**
 * An entry of the central directory of a zip (PKWARE APPNOTE 6.3). This is our own code because no package on npm
 * checks checksums, overlapping entries (zip bombs) and paths outside of the folder, and reports the offset of each
 * error.
 */
export interface ZipEntry {
  /** A relative path with forward slashes and without `..`. */
  readonly name: string;
  readonly method: 0 | 8;
  /** CRC-32 of the content. */
  readonly crc: number;
  /** Compressed size in bytes. */
  readonly packed: number;
  /** Uncompressed size in bytes. */
  readonly size: number;
  /** Offset of the local header. */
  readonly offset: number;
  /** Offset of the next entry or of the central directory. */
  readonly limit: number;
}

const endLength = 22;
const longestComment = 0xffff;
const endSignature = Buffer.from('PK\x05\x06', 'latin1');
/** Maximum number of end records that are looked at in a file with bytes behind its zip. */
const maxCandidates = 16;
/** A name about which nothing can be wrong: most are. */
const plainName = /^[\w-]+(?:[/.][\w-]+)*$/;

/** An entry as the directory has it; `least`: where it ends at the earliest. */
type ReadEntry = Omit<ZipEntry, 'limit'> & { readonly directory: boolean; readonly least: number };

/** Entries that are read before other work gets its turn. */
const entriesPerTurn = 4096;
/** Default maximum size of a central directory, which is held in memory: about half a million entries. */
const defaultMaxDirectory = 64 << 20;

/**
 * Reads the entries of a zip without its directories.
 * @param maxDirectory maximum size of the central directory in bytes
 * @param lastCounts of entries with the same name only the last one counts, as in Python: programs that write Zarr
 *   append metadata anew. Otherwise such a zip is refused.
 * @throws FormatError if the file is not a zip, not safe to unpack, or has a larger central directory
 */
export async function zipEntries(
  source: ByteSource,
  maxDirectory = defaultMaxDirectory,
  { lastCounts = false } = {},
): Promise<ZipEntry[]> {
  const end = await findEnd(source);
  const { count, size, offset, shift } = end;
  if (size > maxDirectory || size < count * 46 || offset + shift + size > source.size)
    throw new FormatError(
      `The zip declares a directory of ${count} entries with ${size} bytes at offset ${offset}, which is not possible.`,
      end.at,
    );
  const start = offset + shift;
  const text = await readBuffer(source, start, size);
  const view = new DataView(text.buffer, text.byteOffset, text.length);
  const all: ReadEntry[] = [];
  const last = new Map<string, number>();
  let at = 0;
  for (let n = 0; n < count; n++) {
    if (n % entriesPerTurn === entriesPerTurn - 1) await turn();
    if (at + 46 > size || view.getUint32(at, true) !== 0x02014b50)
      throw new FormatError(`The zip's directory is broken at entry ${n + 1} of ${count}.`, start + at);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const next = at + 46 + nameLength + extraLength + view.getUint16(at + 32, true);
    if (next > size) throw new FormatError(`The zip's directory ends inside entry ${n + 1}.`, start + at);
    const flags = view.getUint16(at + 8, true);
    const plain = text.toString('latin1', at + 46, at + 46 + nameLength);
    const name = plainName.test(plain)
      ? plain
      : decodeName(text.subarray(at + 46, at + 46 + nameLength), (flags & 0x800) !== 0, start + at);
    if (!lastCounts && last.has(name)) throw new FormatError(`The zip has '${shown(name)}' twice.`, start + at);
    const method = view.getUint16(at + 10, true);
    if ((flags & 1) !== 0)
      throw new FormatError(`'${shown(name)}' in the zip is encrypted. Send a zip without a password.`, start + at);
    if (method !== 0 && method !== 8)
      throw new FormatError(
        `'${shown(name)}' in the zip has compression method ${method}. Only 0 (stored) and 8 (deflated) are supported.`,
        start + at,
      );
    const extra = { at: at + 46 + nameLength, end: at + 46 + nameLength + extraLength };
    const [entrySize, packed, local] = sizesOf(view, at, extra, start);
    if (method === 0 && packed !== entrySize)
      throw new FormatError(
        `'${shown(name)}' in the zip is stored, but its compressed size is ${packed} and its size ${entrySize}.`,
        start + at,
      );
    const least = local + shift + 30 + nameLength + packed;
    const crc = view.getUint32(at + 16, true);
    const directory = name.endsWith('/');
    last.set(name, local + shift);
    all.push({ name, method, crc, packed, size: entrySize, offset: local + shift, directory, least });
    at = next;
  }
  // Entries that no longer count must not overlap others either.
  const kept = withoutOverlaps(all, start);
  return last.size === all.length ? kept : kept.filter(({ name, offset }) => last.get(name) === offset);
}

/**
 * Sorts entries by offset and removes directories.
 * @throws FormatError if two entries overlap
 */
function withoutOverlaps(all: ReadEntry[], directoryStart: number): ZipEntry[] {
  all.sort((a, b) => a.offset - b.offset);
  const kept: ZipEntry[] = [];
  for (let n = 0; n < all.length; n++) {
    const { name, method, crc, packed, size, offset, directory, least } = all[n]!;
    const limit = all[n + 1]?.offset ?? directoryStart;
    if (least > limit) throw new FormatError(`'${shown(name)}' in the zip overlaps the next entry.`, offset);
    if (!directory) kept.push({ name, method, crc, packed, size, offset, limit });
  }
  return kept;
}

interface End {
  /** Offset of the end record. */
  at: number;
  count: number;
  size: number;
  offset: number;
  /** Number of bytes in front of the zip, such as a self-extracting program. */
  shift: number;
}

/** The end record is searched in the last bytes, then in the whole of a file of at most this size. */
const searchedWhole = 16 << 20;

/** There may be bytes behind the end record: its comment, and others that do not belong to the zip. */
async function findEnd(source: ByteSource): Promise<End> {
  const usual = endLength + longestComment + 20;
  const found = await lastEnd(source, Math.max(0, source.size - usual));
  if (found !== undefined) return found;
  const whole = source.size > usual && source.size <= searchedWhole ? await lastEnd(source, 0) : undefined;
  if (whole !== undefined) return whole;
  throw new FormatError('The file is not a zip, or its end is missing.', source.size);
}

/** The last end record from `start` on: one whose comment ends the file, else one that a directory precedes. */
async function lastEnd(source: ByteSource, start: number): Promise<End | undefined> {
  const buffer = await readBuffer(source, start, source.size - start);
  const places: number[] = [];
  for (let at = buffer.lastIndexOf(endSignature); at >= 0 && places.length < maxCandidates; ) {
    const room = buffer.length - at - endLength;
    if (room >= 0) {
      const comment = buffer.readUInt16LE(at + 20);
      if (comment === room) return readEnd(source, buffer, at, start);
      if (comment < room) places.push(at);
    }
    at = at === 0 ? -1 : buffer.lastIndexOf(endSignature, at - 1);
  }
  for (const at of places) {
    const size = buffer.readUInt32LE(at + 12);
    const isWide = at >= 20 && buffer.readUInt32LE(at - 20) === 0x07064b50;
    if (isWide) return readEnd(source, buffer, at, start);
    if (size < 46 || size > start + at) continue;
    const first = Buffer.from(await source.read(start + at - size, 4));
    if (first.readUInt32LE(0) === 0x02014b50) return readEnd(source, buffer, at, start);
  }
  return undefined;
}

async function readEnd(source: ByteSource, bytes: Buffer, at: number, start: number): Promise<End> {
  const end = {
    at: start + at,
    count: bytes.readUInt16LE(at + 10),
    size: bytes.readUInt32LE(at + 12),
    offset: bytes.readUInt32LE(at + 16),
  };
  if (at >= 20 && bytes.readUInt32LE(at - 20) === 0x07064b50) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return findEnd64(source, start + at - 20, integer64(view, at - 12, start));
  }
  if (bytes.readUInt16LE(at + 4) !== 0 || bytes.readUInt16LE(at + 8) !== end.count)
    throw new FormatError('The zip is split into several parts. Join them first.', end.at);
  return shifted(end, end.at);
}

async function findEnd64(source: ByteSource, locator: number, declared: number): Promise<End> {
  // The declared offset is wrong if there are bytes in front of the zip. The record then ends right before its locator.
  for (const at of [declared, locator - 56]) {
    if (at < 0 || at + 56 > locator) continue;
    const bytes = await source.read(at, 56);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (bytes.length < 56 || view.getUint32(0, true) !== 0x06064b50) continue;
    const end = { at, count: integer64(view, 32, at), size: integer64(view, 40, at), offset: integer64(view, 48, at) };
    return shifted(end, at);
  }
  throw new FormatError("The zip's 64-bit end record is missing.", locator);
}

function shifted(end: Omit<End, 'shift'>, directoryEnd: number): End {
  const shift = directoryEnd - end.size - end.offset;
  if (shift < 0)
    throw new FormatError(`The zip's directory of ${end.size} bytes cannot begin at offset ${end.offset}.`, end.at);
  return { ...end, shift };
}

/**
 * Size, compressed size and offset of an entry: 32 bits each, or 64 bits in extra field 1 where the 32 bits are all
 * ones.
 */
function sizesOf(
  view: DataView,
  at: number,
  extra: { at: number; end: number },
  start: number,
): [number, number, number] {
  const values: [number, number, number] = [
    view.getUint32(at + 24, true),
    view.getUint32(at + 20, true),
    view.getUint32(at + 42, true),
  ];
  if (values.includes(0xffffffff)) {
    let field = extra.at;
    while (field + 4 <= extra.end && view.getUint16(field, true) !== 1) field += 4 + view.getUint16(field + 2, true);
    if (field + 4 <= extra.end) {
      const end = Math.min(extra.end, field + 4 + view.getUint16(field + 2, true));
      field += 4;
      for (const [n, value] of values.entries()) {
        if (value !== 0xffffffff) continue;
        if (field + 8 > end) throw new FormatError("A 64-bit size is missing in the zip's directory.", start + at);
        values[n] = integer64(view, field, start + at);
        field += 8;
      }
    }
  }
  return values;
}

function integer64(view: DataView, at: number, offset: number): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new FormatError(`The zip declares a size or offset of ${value}, which is too large.`, offset);
  return Number(value);
}

const cp437 = findEncoding('IBM437')!;

function decodeName(buffer: Buffer, unicode: boolean, offset: number): string {
  const utf8 = buffer.toString('utf8');
  // Windows PowerShell writes backslashes; names without the flag are those of MS-DOS
  const name = (unicode || isUtf8(buffer) ? utf8 : cp437.decode(buffer)).replaceAll('\\', '/');
  const wrong =
    name === ''
      ? 'has no name'
      : name.includes('\0')
        ? 'contains a zero byte'
        : /^\/|^[A-Za-z]:/.test(name)
          ? 'is absolute'
          : name.split('/').includes('..')
            ? "leaves its folder with '..'"
            : undefined;
  if (wrong !== undefined) throw new FormatError(`The name '${shown(name)}' in the zip ${wrong}.`, offset);
  return name;
}

/** Entries of files, without those that macOS adds for its own use. */
export const filesOfZip = async (source: ByteSource): Promise<ZipEntry[]> =>
  (await zipEntries(source)).filter(({ name }) => !/(^|\/)(__MACOSX\/|\._)/.test(name));

/** A name from a file for use in a sentence: at most 80 characters, without control characters. */
export const shown = (name: string): string => name.slice(0, 80).replace(/\p{Cc}/gu, '?');
