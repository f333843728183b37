import { promisify } from 'node:util';
import { constants, deflate, deflateRaw } from 'node:zlib';

/*
 * The zlib of Node looks for matches of four bytes and finds fewer than zlib does at the same level. The planes of
 * shuffled values differ: those of the low bits are often noise, on which a high level is lost. So planes of a kind are
 * a run of deflate blocks, at a level that suits them, and all runs together are one zlib stream.
 */

const whole = promisify(deflate);
const raw = promisify(deflateRaw);
/** Shorter chunks are one run: a plane would be too short. */
const smallest = 1 << 15;
/** Bits per byte from which on a plane counts as noise. */
const noise = 7.9;
/** Every so many bytes one is counted, at least some thousands of a plane. */
const sampled = 3;
/** Bytes that a run may be longer than its input. */
const spare = 256;
const head = Buffer.of(0x78, 0x5e);

/** A zlib stream (RFC 1950) of shuffled values of that size. */
export async function deflated(bytes: Uint8Array, size: number, level: number): Promise<Uint8Array> {
  if (size === 1 || bytes.length < smallest)
    return whole(bytes, { level: Math.min(9, level + 2), chunkSize: bytes.length + spare });
  const runs = runsOf(bytes, size);
  const packed = runs.map(({ first, end, isNoise }, n) =>
    raw(bytes.subarray(first, end), {
      level: isNoise ? Math.max(1, level - 3) : Math.min(9, level + 2),
      // One round of the library, not one for every 16 kB.
      chunkSize: end - first + spare,
      finishFlush: n === runs.length - 1 ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    }),
  );
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(adler32(bytes));
  return Buffer.concat([head, ...(await Promise.all(packed)), sum]);
}

/** Planes that follow each other and are noise, or are not, as one. */
function runsOf(bytes: Uint8Array, size: number): { first: number; end: number; isNoise: boolean }[] {
  const length = bytes.length / size;
  const runs: { first: number; end: number; isNoise: boolean }[] = [];
  for (let plane = 0; plane < size; plane++) {
    const [first, end] = [plane * length, (plane + 1) * length];
    const isNoise = entropy(bytes.subarray(first, end)) > noise;
    const last = runs.at(-1);
    if (last?.isNoise === isNoise) last.end = end;
    else runs.push({ first, end, isNoise });
  }
  return runs;
}

/** Bits per byte that the frequencies of the bytes need. */
function entropy(bytes: Uint8Array): number {
  const counts = new Uint32Array(256);
  let sum = 0;
  for (let n = 0; n < bytes.length; n += sampled, sum++) counts[bytes[n]!]!++;
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= count * Math.log2(count / sum);
  return bits / sum;
}

/** The checksum of RFC 1950. Sums of 3,800 bytes stay below 2^31, so that they are small integers. */
function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 3800);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
