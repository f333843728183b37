import { FormatError } from '../../errors.ts';

/** TIFF 6.0, section 9. Decodes at most `maxBytes` bytes. */
export function packBitsDecode(bytes: Uint8Array, maxBytes: number, offset: number): Uint8Array {
  const out = new Uint8Array(maxBytes);
  let length = 0;
  for (let at = 0; at < bytes.length && length < maxBytes; ) {
    const head = bytes[at++]!;
    if (head === 128) continue;
    if (head < 128) {
      const run = Math.min(head + 1, maxBytes - length);
      if (at + run > bytes.length) throw new FormatError('A PackBits block ends inside a run.', offset + bytes.length);
      out.set(bytes.subarray(at, at + run), length);
      at += head + 1;
      length += run;
    } else {
      if (at >= bytes.length) throw new FormatError('A PackBits block ends inside a run.', offset + bytes.length);
      const end = Math.min(length + 257 - head, maxBytes);
      out.fill(bytes[at++]!, length, end);
      length = end;
    }
  }
  return out.subarray(0, length);
}

/** Encodes runs of at least three equal bytes. Runs end at the end of a row, as TIFF demands. */
export function packBitsEncode(bytes: Uint8Array, rowBytes: number): Uint8Array {
  const out = new Uint8Array(bytes.length + Math.ceil(rowBytes / 128 + 1) * Math.ceil(bytes.length / rowBytes));
  let length = 0;
  const literal = (from: number, to: number) => {
    for (let at = from; at < to; at += 128) {
      const run = Math.min(128, to - at);
      out[length++] = run - 1;
      out.set(bytes.subarray(at, at + run), length);
      length += run;
    }
  };
  for (let row = 0; row < bytes.length; row += rowBytes) {
    const end = Math.min(row + rowBytes, bytes.length);
    let from = row;
    for (let at = row; at < end; ) {
      let same = at + 1;
      while (same < end && same - at < 128 && bytes[same] === bytes[at]) same++;
      if (same - at < 3) at = same;
      else {
        literal(from, at);
        out[length++] = 257 - (same - at);
        out[length++] = bytes[at]!;
        at = same;
        from = at;
      }
    }
    literal(from, end);
  }
  return out.subarray(0, length);
}
