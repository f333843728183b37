import { constants, deflateSync, zstdCompressSync } from 'node:zlib';
import { shuffled } from './shuffle.ts';

/** How the chunks of a store are compressed. */
export interface Packing {
  readonly compression: 'Deflate' | 'Zstd';
  readonly level: number;
  /** Whether the bytes of the values are shuffled first. */
  readonly shuffle: boolean;
}

/** A chunk to be compressed. */
export interface PackTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of a value. */
  readonly size: number;
  readonly packing: Packing;
}

/** Bytes that a zlib stream may be longer than its input. */
const spare = 256;

/** The compressed bytes of a chunk; deflated ones are a zlib stream (RFC 1950). */
export function packChunk({ bytes, size, packing }: PackTask): Uint8Array {
  const { compression, level, shuffle } = packing;
  const input = shuffle ? shuffled(bytes, size) : bytes;
  if (compression === 'Zstd')
    return zstdCompressSync(input, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  return deflateSync(input, {
    level: Math.min(9, level + extraLevels(size)),
    // Shorter blocks: each plane of shuffled values gets codes of its own.
    memLevel: 7,
    // One round of the library, not one for every 16 kB.
    chunkSize: bytes.length + spare,
  });
}

/**
 * The zlib of Node looks for matches of four bytes and finds fewer than zlib does at the same level. By a measurement
 * on grids and meshes, one level more makes chunks of wide values no larger than those of zlib. Narrow values need two,
 * which cost them little.
 */
const extraLevels = (size: number): number => (size > 2 ? 1 : 2);
