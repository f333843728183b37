/** Memory of results; new memory for each chunk would cost more time than the shuffle. */
let scratch = new Uint8Array(1 << 17);

/**
 * The first bytes of all values, then the second ones, and so on: HDF5's filter that helps compression.
 * @param size bytes of a value
 * @returns memory that the next call overwrites, or the bytes themselves
 */
export function shuffled(bytes: Uint8Array, size: number): Uint8Array {
  if (size === 1) return bytes;
  const count = bytes.length / size;
  if (scratch.length < bytes.length) scratch = new Uint8Array(bytes.length);
  const target = scratch.subarray(0, bytes.length);
  if (size === 4) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, count);
    const [b, c, d] = [count, 2 * count, 3 * count];
    for (let n = 0; n < count; n++) {
      const word = words[n]!;
      target[n] = word;
      target[b + n] = word >>> 8;
      target[c + n] = word >>> 16;
      target[d + n] = word >>> 24;
    }
    return target;
  }
  for (let part = 0; part < size; part++)
    for (let n = 0, at = part, to = part * count; n < count; n++, at += size) target[to + n] = bytes[at]!;
  return target;
}
