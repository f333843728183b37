import { promisify } from 'node:util';
import { crc32, gunzip, gunzipSync, inflate, inflateSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { unpackLz4 } from '../io/lz4.ts';
import { unpackBlosc } from './blosc.ts';
import type { ByteStep, Packer } from './codecs.ts';

const longestPiece = 1 << 22;

const zlib = {
  now: { zstd: zstdDecompressSync, gzip: gunzipSync, zlib: inflateSync },
  inPool: { zstd: promisify(zstdDecompress), gzip: promisify(gunzip), zlib: promisify(inflate) },
} as const;

export type Speed = keyof typeof zlib;

/**
 * Undoes the codecs from bytes to bytes. The result may be a part of `bytes`.
 * @param length of the bytes before the first codec
 * @throws Error for bytes that are damaged or too long
 */
export async function undoByteSteps(
  bytes: Buffer,
  steps: readonly ByteStep[],
  { length, how }: { length: number; how: Speed },
): Promise<Buffer> {
  let left = bytes;
  for (let n = steps.length - 1; n >= 0; n--) {
    const step = steps[n]!;
    if (step.by === 'shuffle') left = unshuffled(left, step.width);
    else if (step.by === 'checksum') left = checked(left, step);
    else left = await unpacked(left, step.packer, { most: mostBefore(steps, n, length), length, how });
  }
  return left;
}

const checksumLength = 4;

/** Bytes before codec n, of which only those of other packers are not known. */
function mostBefore(steps: readonly ByteStep[], n: number, length: number): number {
  const before = steps.slice(0, n);
  // A codec may make bytes a little longer than they were.
  const slack = before.some(({ by }) => by === 'unpack') ? length + (1 << 16) : 0;
  return Math.max(1, length + checksumLength * before.filter(({ by }) => by === 'checksum').length + slack);
}

/** The most bytes that a chunk of this length is read from. */
export const mostPacked = (length: number): number => 2 * length + (1 << 16);

async function unpacked(
  bytes: Buffer,
  packer: Packer,
  { most, length, how }: { most: number; length: number; how: Speed },
): Promise<Buffer> {
  if (packer === 'blosc') return unpackBlosc(bytes, most);
  if (packer === 'lz4') {
    const size = bytes.readUInt32LE(0);
    const whole = size <= most ? unpackLz4(bytes.subarray(4), size) : undefined;
    if (whole === undefined) throw new Error(`The block of LZ4 with ${size} bytes is damaged.`);
    return whole;
  }
  return zlib[how][packer](bytes, {
    maxOutputLength: most,
    // One piece: the usual ones of 16 kB each wait for a thread.
    chunkSize: Math.max(64, Math.min(length, longestPiece)),
  });
}

/** All first bytes of the values stand together, then all second ones, and so on; bytes of a cut value stand last. */
function unshuffled(bytes: Buffer, width: number): Buffer {
  const count = Math.floor(bytes.length / width);
  const all = Buffer.allocUnsafeSlow(bytes.length);
  for (let b = 0, from = 0; b < width; b++)
    for (let n = 0, to = b; n < count; n++, to += width) all[to] = bytes[from++]!;
  bytes.copy(all, count * width, count * width);
  return all;
}

function checked(bytes: Buffer, { check, at }: Extract<ByteStep, { by: 'checksum' }>): Buffer {
  if (bytes.length < checksumLength) throw new Error('There is no checksum.');
  const end = bytes.length - checksumLength;
  const content = at === 'start' ? bytes.subarray(checksumLength) : bytes.subarray(0, end);
  const declared = bytes.readUInt32LE(at === 'start' ? 0 : end);
  if (checksums[check](content) !== declared) throw new Error('The checksum is wrong.');
  return content;
}

const checksums = { crc32c, crc32: (bytes: Uint8Array) => crc32(bytes), adler32 };

/** Castagnoli's polynomial, reflected (RFC 3720, appendix B.4). */
const castagnoli = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0x82f63b78 : 0);
  return rest;
});

export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = castagnoli[(rest ^ byte) & 0xff]! ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}

/** RFC 1950. */
function adler32(bytes: Uint8Array): number {
  let [one, two] = [1, 0];
  for (const byte of bytes) {
    one = (one + byte) % 65_521;
    two = (two + one) % 65_521;
  }
  return two * 2 ** 16 + one;
}
