import { inflateSync } from 'node:zlib';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { memorySource, readBuffer } from '../io/buffers.ts';
import { lz4Ratio, unpackLz4 } from '../io/lz4.ts';
import type { ArrayElement, VtuDocument } from './document.ts';

/** The bytes of arrays: raw in a file, or base64. */
interface Encoded {
  /** Up to `length` decoded bytes from a position on, which counts bytes, or characters of base64. */
  read(at: number, length: number): Promise<Buffer>;
  /** The position after this number of bytes. */
  behind(at: number, length: number): number;
  /** File offset of a position, for errors. */
  offset(at: number): number;
  /** Maximum number of decoded bytes after a position. */
  left(at: number): number;
  /** Whether the bytes at a position are a base64 text of their own, which ends with padding. */
  endsWith(at: number, length: number): Promise<boolean>;
}

/** An array that is larger than this and compressed by more than this ratio is taken for a zip bomb. */
const suspiciousSize = 100_000_000;
const maxRatio = 200;
/** Maximum ratio of a deflate stream. */
const inflateRatio = 1032;

/**
 * The bytes of an array that is not ASCII, in the order of the file.
 * @param expected number of bytes, if the file declares it elsewhere
 */
export async function decodeBytes(document: VtuDocument, array: ArrayElement, expected?: number): Promise<Buffer> {
  const { encoded, at } = await openArray(document, array);
  return document.compression !== undefined
    ? unpackBlocks(encoded, at, document, array, expected)
    : plainBytes(encoded, at, document, array, expected);
}

async function openArray({ source, appended }: VtuDocument, array: ArrayElement) {
  if (array.format === 'binary') {
    const { start, end } = array.text;
    const text = Buffer.from(await source.read(start, end - start));
    return { encoded: base64Of(memorySource(withoutBlanks(text)), 0, start), at: 0 };
  }
  if (appended === undefined) throw wrong(array, 'is appended, but the file has no appended data.', array.at);
  if (appended.start + array.offset >= source.size)
    throw wrong(array, `begins at ${array.offset} of the appended data, behind the end of the file.`, array.at);
  if (appended.base64) return { encoded: base64Of(source, appended.start, 0), at: array.offset };
  return { encoded: rawOf(source), at: appended.start + array.offset };
}

function withoutBlanks(text: Buffer): Buffer {
  let length = 0;
  for (const c of text) if (c > 32) text[length++] = c;
  return text.subarray(0, length);
}

const rawOf = (source: ByteSource): Encoded => ({
  read: (at, length) => readBuffer(source, at, length),
  behind: (at, length) => at + length,
  offset: (at) => at,
  left: (at) => source.size - at,
  endsWith: async () => false,
});

/** Number of characters decoded at a time: strings of Node have at most half a gigabyte. */
const piece = 1 << 24;

const padding = 61;

/** Positions count characters from `start`. */
const base64Of = (source: ByteSource, start: number, fileOffset: number): Encoded => ({
  async read(at, length) {
    const decoded: Buffer[] = [];
    const end = start + at + base64Length(length);
    for (let from = start + at; from < Math.min(end, source.size); from += piece) {
      const text = await readBuffer(source, from, Math.min(piece, end - from));
      decoded.push(Buffer.from(text.toString('latin1'), 'base64'));
    }
    const whole = decoded.length === 1 ? decoded[0]! : Buffer.concat(decoded);
    return whole.subarray(0, length);
  },
  behind: (at, length) => at + base64Length(length),
  offset: (at) => fileOffset + start + at,
  left: (at) => Math.ceil(((source.size - start - at) * 3) / 4),
  endsWith: async (at, length) => {
    const first = base64Length(length) - ((3 - (length % 3)) % 3);
    return (await source.read(start + at + first, 1))[0] === padding;
  },
});

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

async function plainBytes(
  encoded: Encoded,
  at: number,
  document: VtuDocument,
  array: ArrayElement,
  expected: number | undefined,
): Promise<Buffer> {
  const { headerBytes } = document;
  const [size] = await headerWords(encoded, at, 1, document, array);
  checkSize(array, size!, expected, encoded.offset(at));
  if (size! > encoded.left(at))
    throw wrong(array, `declares ${size} bytes, which the file does not have.`, encoded.offset(at));
  // The header is a base64 text of its own or, as in files of VTK, part of that of the numbers.
  const bytes = (await encoded.endsWith(at, headerBytes))
    ? await encoded.read(encoded.behind(at, headerBytes), size!)
    : (await encoded.read(at, headerBytes + size!)).subarray(headerBytes);
  if (bytes.length !== size) throw wrong(array, `ends after ${bytes.length} of ${size} bytes.`, encoded.offset(at));
  return bytes;
}

/**
 * Blocks of VTK's zlib compressor: number of blocks, size of each, size of the last one if it is smaller, compressed
 * sizes.
 */
async function unpackBlocks(
  encoded: Encoded,
  at: number,
  document: VtuDocument,
  array: ArrayElement,
  expected: number | undefined,
): Promise<Buffer> {
  const { ratio, unpack } = compressions[document.compression!];
  const place = encoded.offset(at);
  const [count, size, last] = (await headerWords(encoded, at, 3, document, array)) as [number, number, number];
  if (count * document.headerBytes > encoded.left(at))
    throw wrong(array, `declares ${count} compressed blocks, which the file does not have.`, place);
  const total = count === 0 ? 0 : last === 0 ? count * size : (count - 1) * size + last;
  checkSize(array, total, expected, place);
  const sizes = (await headerWords(encoded, at, 3 + count, document, array)).slice(3);
  const packed = sizes.reduce((sum, one) => sum + one, 0);
  if (packed > encoded.left(at) || total > packed * ratio)
    throw wrong(array, `declares ${total} bytes compressed to ${packed}, which the file does not have.`, place);
  if (total > suspiciousSize && total > maxRatio * packed)
    throw wrong(array, `unpacks to more than ${maxRatio} times its size, like a zip bomb.`, place);
  const start = encoded.behind(at, (3 + count) * document.headerBytes);
  const blocks = await encoded.read(start, packed);
  if (blocks.length !== packed)
    throw wrong(array, `ends after ${blocks.length} of ${packed} compressed bytes.`, encoded.offset(start));
  const bytes = Buffer.allocUnsafeSlow(total);
  let from = 0;
  for (let n = 0; n < count; n++) {
    const length = n === count - 1 && last !== 0 ? last : size;
    const block = unpack(blocks.subarray(from, from + sizes[n]!), length);
    if (block?.length !== length)
      throw wrong(array, `has a block of ${sizes[n]} bytes that does not unpack to ${length}.`, encoded.offset(start));
    block.copy(bytes, n * size);
    from += sizes[n]!;
  }
  return bytes;
}

const compressions = {
  zlib: { ratio: inflateRatio, unpack: inflated },
  lz4: { ratio: lz4Ratio, unpack: unpackLz4 },
} as const;

function inflated(block: Buffer, length: number): Buffer | undefined {
  try {
    return inflateSync(block, { maxOutputLength: length + 1 });
  } catch {
    return undefined;
  }
}

async function headerWords(
  encoded: Encoded,
  at: number,
  count: number,
  { headerBytes, littleEndian }: VtuDocument,
  array: ArrayElement,
): Promise<number[]> {
  const bytes = await encoded.read(at, count * headerBytes);
  if (bytes.length < count * headerBytes) throw wrong(array, 'ends in its header.', encoded.offset(at));
  return Array.from({ length: count }, (_, n) => {
    const from = n * headerBytes;
    if (headerBytes === 4) return littleEndian ? bytes.readUInt32LE(from) : bytes.readUInt32BE(from);
    const value = Number(littleEndian ? bytes.readBigUInt64LE(from) : bytes.readBigUInt64BE(from));
    if (value > 2 ** 48) throw wrong(array, `declares a size of ${value} bytes.`, encoded.offset(at));
    return value;
  });
}

function checkSize(array: ArrayElement, size: number, expected: number | undefined, offset: number): void {
  if (expected !== undefined && size !== expected)
    throw wrong(array, `has ${size} bytes in place of ${expected}.`, offset);
}

/** An error about an array. */
export const wrong = ({ name }: ArrayElement, fault: string, offset: number): FormatError =>
  new FormatError(`The array '${name.slice(0, 60).replace(/\p{Cc}/gu, '?')}' ${fault}`, offset);
