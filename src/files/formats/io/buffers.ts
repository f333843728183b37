import type { ByteSource } from '../../data/bytes.ts';

/** A Buffer over the same memory. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export const readBuffer = async (source: ByteSource, offset: number, length: number): Promise<Buffer> =>
  bufferOf(await source.read(offset, length));

/** Bytes in memory as a source. */
export const memorySource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/** Changes the byte order of numbers of `width` bytes, in place. */
export function swapBytes(bytes: Uint8Array, width: number): void {
  if (width === 2) bufferOf(bytes).swap16();
  else if (width === 4) bufferOf(bytes).swap32();
  else if (width === 8) bufferOf(bytes).swap64();
}
