/**
 * Unpacks a raw Snappy block (format_description.txt of google/snappy) of `length` bytes. Undefined if it is not valid
 * or has another length.
 */
export function unpackSnappy(block: Buffer, length: number): Buffer | undefined {
  let at = 0;
  let claimed = 0;
  for (let shift = 1; ; shift *= 128) {
    const byte = block[at++];
    if (byte === undefined || shift > 2 ** 28) return undefined;
    claimed += (byte & 127) * shift;
    if (byte < 128) break;
  }
  if (claimed !== length) return undefined;
  const out = Buffer.allocUnsafeSlow(length);
  let to = 0;
  while (at < block.length) {
    const tag = block[at++]!;
    if ((tag & 3) === 0) {
      let count = tag >> 2;
      if (count >= 60) {
        const bytes = count - 59;
        if (at + bytes > block.length) return undefined;
        count = block.readUIntLE(at, bytes);
        at += bytes;
      }
      count++;
      if (count > block.length - at || count > length - to) return undefined;
      if (count > 16) block.copy(out, to, at, at + count);
      else for (let n = 0; n < count; n++) out[to + n] = block[at + n]!;
      at += count;
      to += count;
      continue;
    }
    const wide = tag & 3;
    const count = wide === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const bytes = wide === 3 ? 4 : wide;
    if (at + bytes > block.length) return undefined;
    const back = wide === 1 ? ((tag & 0xe0) << 3) | block[at]! : block.readUIntLE(at, bytes);
    at += bytes;
    if (back === 0 || back > to || count > length - to) return undefined;
    if (back >= count && count > 16) out.copy(out, to, to - back, to - back + count);
    // byte by byte: the copy may overlap the bytes that are being written
    else for (let n = 0; n < count; n++) out[to + n] = out[to + n - back]!;
    to += count;
  }
  return to === length ? out : undefined;
}
