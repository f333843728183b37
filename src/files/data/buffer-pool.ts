import type { Samples, SampleType } from './item.ts';
import { sampleArrays } from './samples.ts';

/**
 * Pool of buffers for blocks of samples. New buffers cost a page fault per 4 KB and a full garbage collection per few
 * dozen MB, together up to a third of the time of a conversion.
 */
const pool: ArrayBuffer[] = [];
/** More buffers than a pipeline uses at a time. */
const maxBuffers = 32;
const maxBytes = 32 << 20;
/** Smaller buffers are not worth keeping. */
const minBytes = 1 << 14;
/** Maximum ratio of the size of a pooled buffer to the requested size. */
const maxWaste = 1.5;
/** Extra bytes that zlib needs beyond its output. */
const slack = 64;
let pooledTotal = 0;
/** Requested length per buffer in use, because the buffer may be larger. */
const lent = new WeakMap<ArrayBufferLike, number>();

function takeBuffer(bytes: number): ArrayBuffer {
  const at = pool.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * maxWaste);
  if (at < 0) return new ArrayBuffer(bytes);
  const buffer = pool.splice(at, 1)[0]!;
  pooledTotal -= buffer.byteLength;
  lent.set(buffer, bytes);
  return buffer;
}

/** Bytes from the pool, with arbitrary content. */
export const pooledBytes = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(takeBuffer(length), 0, length);

/** Samples from the pool, with arbitrary content. */
export function pooledSamples(type: SampleType, length: number): Samples {
  const array = sampleArrays[type];
  return new array(takeBuffer(length * array.BYTES_PER_ELEMENT), 0, length);
}

/**
 * Declares that no other array uses the buffer of `bytes`, although the buffer is larger, so that `releaseBuffer` may
 * take it.
 */
export function markOwned(bytes: ArrayBufferView): void {
  lent.set(bytes.buffer, bytes.byteLength);
}

/**
 * Returns the buffer of an array to the pool; do not use the array afterwards. Ignores a view of a part of a larger
 * buffer, because other arrays may use the rest.
 */
export function releaseBuffer({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
  if (!(buffer instanceof ArrayBuffer) || byteOffset !== 0 || buffer.byteLength < minBytes) return;
  if (buffer.byteLength - byteLength > slack && lent.get(buffer) !== byteLength) return;
  if (pool.length >= maxBuffers || pooledTotal + buffer.byteLength > maxBytes || pool.includes(buffer)) return;
  pool.push(buffer);
  pooledTotal += buffer.byteLength;
}
