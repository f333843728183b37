import type { Samples, SampleType } from './item.ts';
import { sampleArrays } from './samples.ts';

/**
 * Buffers of blocks that were read, converted and written serve the next blocks again: fresh ones cost the kernel a page
 * fault per 4 KB, and V8 a full collection per few dozen MB, together up to a third of a conversion.
 */
const spare: ArrayBuffer[] = [];
/** More than a pipeline has under way at a time. */
const mostBuffers = 32;
const mostBytes = 32 << 20;
/** Smaller ones are not worth keeping. */
const leastBytes = 1 << 14;
/** How much larger than needed a buffer may be. */
const mostWaste = 1.5;
/** Bytes beyond their output that zlib asks for. */
const slack = 64;
let spareBytes = 0;
/** Of buffers that were lent and may be larger than needed: the length that was asked for. */
const lent = new WeakMap<ArrayBufferLike, number>();

function spareBuffer(bytes: number): ArrayBuffer {
  const at = spare.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * mostWaste);
  if (at < 0) return new ArrayBuffer(bytes);
  const buffer = spare.splice(at, 1)[0]!;
  spareBytes -= buffer.byteLength;
  lent.set(buffer, bytes);
  return buffer;
}

/** Bytes with arbitrary content. */
export const spareBytesOf = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(spareBuffer(length), 0, length);

/** Samples with arbitrary content. */
export function spareSamples(type: SampleType, length: number): Samples {
  const array = sampleArrays[type];
  return new array(spareBuffer(length * array.BYTES_PER_ELEMENT), 0, length);
}

/** Says that nothing else lies in the memory of these bytes, which is larger than they are. */
export function ownWhole(bytes: ArrayBufferView): void {
  lent.set(bytes.buffer, bytes.byteLength);
}

/**
 * Takes the memory of an array that its owner needs no more; nobody may touch it afterwards. An array that shows a part of
 * larger memory is left alone: the rest may belong to others.
 */
export function giveBack({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
  if (!(buffer instanceof ArrayBuffer) || byteOffset !== 0 || buffer.byteLength < leastBytes) return;
  if (buffer.byteLength - byteLength > slack && lent.get(buffer) !== byteLength) return;
  if (spare.length >= mostBuffers || spareBytes + buffer.byteLength > mostBytes || spare.includes(buffer)) return;
  spare.push(buffer);
  spareBytes += buffer.byteLength;
}
