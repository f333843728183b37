import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { ScratchFile } from './scratch-file.ts';

const deflate = promisify(deflateRaw);
/** Higher levels take several times as long and hardly compress coordinates further. */
const level = 1;
const maxPending = 3;
const pieceSize = 1 << 19;

/**
 * Compresses a piece of a deflate stream independently of the others, on the thread pool. Only the `last` piece ends
 * the stream.
 */
export async function deflatePiece(bytes: Uint8Array, last = false): Promise<Uint8Array> {
  const finishFlush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  return deflate(bytes, { level, finishFlush, chunkSize: Math.max(1024, bytes.length) });
}

/** Compresses the body of a zip entry into a file while it is produced, before the header in front of it is known. */
export class DeflateSpool {
  size = 0;
  crc = 0;
  readonly #file: ScratchFile;
  #pending: Promise<Uint8Array>[] = [];

  constructor(file: ScratchFile) {
    this.#file = file;
  }

  /** Keeps the order of calls, also if the caller does not await each one. */
  async append(bytes: Uint8Array): Promise<void> {
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
    const compressed = deflatePiece(bytes);
    // A failure is thrown when `#drain` reaches this piece.
    compressed.catch(() => {});
    this.#pending.push(compressed);
    await this.#drain(maxPending);
  }

  /** The last call of `#drain`: calls run one after the other, so that pieces are written in order. */
  #lastDrain: Promise<void> = Promise.resolve();
  #drain(limit: number): Promise<void> {
    const drain = this.#lastDrain.then(async () => {
      while (this.#pending.length > limit) await this.#file.sink.append(await this.#pending.shift()!);
    });
    this.#lastDrain = drain.catch(() => {});
    return drain;
  }

  /** The compressed content in pieces; the last one ends the deflate stream. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    await this.#drain(0);
    yield* this.#file.pieces(pieceSize);
    yield await deflatePiece(new Uint8Array(0), true);
  }
}

/** Multiplies polynomials over GF(2) modulo the CRC-32 polynomial, with the lowest power in the highest bit. */
function product(a: number, b: number): number {
  let result = 0;
  let factor = b;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) result ^= factor;
    factor = (factor & 1) === 1 ? (factor >>> 1) ^ 0xedb88320 : factor >>> 1;
  }
  return result >>> 0;
}

/**
 * CRC-32 of two concatenated pieces from the CRC-32 of each, as zlib's crc32_combine: first · x^(bits of second) +
 * second.
 */
export function crc32Combine(first: number, second: number, secondSize: number): number {
  let power = 0x80000000;
  let square = 0x00800000;
  for (let rest = secondSize; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(power, square);
    square = product(square, square);
  }
  return (product(power, first) ^ second) >>> 0;
}
