import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { FileSink } from './bytes.ts';
import { FileSource } from './bytes.ts';

const deflate = promisify(deflateRaw);
/** Coordinates hardly shrink more at higher levels, which take several times as long. */
const level = 1;
const atOnce = 3;
const pieceSize = 1 << 19;

/** A piece of a deflated stream, to be followed by others: packed apart, on the thread pool. */
export async function packed(bytes: Uint8Array, last = false): Promise<Uint8Array> {
  const finishFlush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  return deflate(bytes, { level, finishFlush, chunkSize: Math.max(1024, bytes.length) });
}

/** The content of an entry of a zip, packed while it comes, before what goes in front of it is known. */
export class DeflateSpool {
  size = 0;
  crc = 0;
  readonly #sink: FileSink;
  readonly #path: string;
  #packing: Promise<Uint8Array>[] = [];

  constructor(sink: FileSink, path: string) {
    this.#sink = sink;
    this.#path = path;
  }

  /** May be called without waiting for the last one; order is kept. */
  async append(bytes: Uint8Array): Promise<void> {
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
    const work = packed(bytes);
    // A failure is met when its turn comes.
    work.catch(() => {});
    this.#packing.push(work);
    await this.#drain(atOnce);
  }

  /** Only one at a time takes from the line, so that its order is that of the file. */
  #turn: Promise<void> = Promise.resolve();
  #drain(most: number): Promise<void> {
    const turn = this.#turn.then(async () => {
      while (this.#packing.length > most) await this.#sink.append(await this.#packing.shift()!);
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** All of it in packed pieces, the last of them the end of the stream. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    await this.#drain(0);
    await this.#sink.flush();
    const source = await FileSource.open(this.#path, { checksum: false });
    try {
      for (let at = 0; at < source.size; at += pieceSize) yield await source.read(at, pieceSize);
    } finally {
      await source.close();
    }
    yield await packed(new Uint8Array(0), true);
  }
}

/** Multiplies polynomials over GF(2) modulo that of CRC-32, lowest power at the highest bit. */
function product(a: number, b: number): number {
  let result = 0;
  let factor = b;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) result ^= factor;
    factor = (factor & 1) === 1 ? (factor >>> 1) ^ 0xedb88320 : factor >>> 1;
  }
  return result >>> 0;
}

/** The checksum of two pieces one after the other, from those of each (as in zlib 1.2.12: the first times x to the bits of the second). */
export function crc32Combine(first: number, second: number, secondSize: number): number {
  let power = 0x80000000;
  let square = 0x00800000;
  for (let rest = secondSize; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(power, square);
    square = product(square, square);
  }
  return (product(power, first) ^ second) >>> 0;
}
