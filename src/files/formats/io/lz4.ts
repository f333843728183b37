/** Maximum ratio of an LZ4 block: each byte of the length of a match stands for 255 bytes. */
export const lz4Ratio = 255;

/**
 * Unpacks an LZ4 block (lz4_Block_format.md, without a frame) of `length` bytes. Undefined if it is not valid or has
 * another length.
 */
export function unpackLz4(block: Uint8Array, length: number): Buffer | undefined {
  const out = Buffer.allocUnsafeSlow(length);
  let to = 0;
  let at = 0;
  /** A length of four bits, and of all bytes that follow while they are 255. */
  const extended = (bits: number): number => {
    let sum = bits;
    if (bits < 15) return sum;
    for (;;) {
      const byte = block[at++];
      if (byte === undefined) return Number.POSITIVE_INFINITY;
      sum += byte;
      if (byte < 255) return sum;
    }
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = extended(token >> 4);
    if (literals > block.length - at || literals > length - to) return undefined;
    out.set(block.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    // the last sequence has literals alone
    if (at === block.length) return to === length ? out : undefined;
    if (at + 2 > block.length) return undefined;
    const back = block[at]! | (block[at + 1]! << 8);
    at += 2;
    const match = extended(token & 15) + 4;
    if (back === 0 || back > to || match > length - to) return undefined;
    // byte by byte: the match may overlap the bytes that are being written
    for (let n = 0; n < match; n++, to++) out[to] = out[to - back]!;
  }
  return undefined;
}
