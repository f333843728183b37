import { FormatError } from '../../errors.ts';

/** TIFF 6.0, section 13: codes of 9 to 12 bits, most significant bit first, one code earlier than in GIF ("early change"). */
const clear = 256;
const end = 257;
const first = 258;
const codes = 4096;

/** Unpacks at most `most` bytes. */
export function lzwDecode(bytes: Uint8Array, most: number, offset: number): Uint8Array {
  const out = new Uint8Array(most);
  // A code stands for a piece of the output itself: where it begins and how long it is.
  const starts = new Int32Array(codes);
  const lengths = new Int32Array(codes);
  let length = 0;
  let next = first;
  let width = 9;
  let previous = -1;
  let buffer = 0;
  let bits = 0;
  for (let at = 0; length < most; ) {
    while (bits < width) {
      if (at >= bytes.length) return out.subarray(0, length);
      buffer = ((buffer << 8) | bytes[at++]!) & 0xffffff;
      bits += 8;
    }
    const code = (buffer >> (bits - width)) & ((1 << width) - 1);
    bits -= width;
    if (code === end) break;
    if (code === clear) {
      next = first;
      width = 9;
      previous = -1;
      continue;
    }
    const start = length;
    if (code < 256) out[length++] = code;
    else {
      const known = code < next;
      if (code < first || (!known && (code !== next || previous < 0)))
        throw new FormatError(`An LZW block has the code ${code} where at most ${next} is possible.`, offset + at);
      const from = known ? starts[code]! : previous;
      const count = Math.min(known ? lengths[code]! : start - previous + 1, most - length);
      // Byte by byte: the piece may reach into what is being written.
      for (let n = 0; n < count; n++) out[length++] = out[from + n]!;
    }
    if (previous >= 0) {
      if (next >= codes) throw new FormatError('An LZW block has more codes than its table has room for.', offset + at);
      starts[next] = previous;
      lengths[next] = start - previous + 1;
      next++;
      if (next + 1 >= 1 << width && width < 12) width++;
    }
    previous = start;
  }
  return out.subarray(0, length);
}

export function lzwEncode(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + (bytes.length >> 1) + 16);
  let length = 0;
  let buffer = 0;
  let bits = 0;
  let width = 9;
  const put = (code: number) => {
    buffer = ((buffer << width) | code) & 0xfffffff;
    bits += width;
    while (bits >= 8) {
      bits -= 8;
      out[length++] = (buffer >> bits) & 255;
    }
  };
  // Code of a piece and its next byte → code of both, by open addressing.
  const slots = 1 << 14;
  const keys = new Int32Array(slots).fill(-1);
  const values = new Int16Array(slots);
  let next = first;
  put(clear);
  let piece = -1;
  for (const byte of bytes) {
    if (piece < 0) {
      piece = byte;
      continue;
    }
    const key = (piece << 8) | byte;
    let slot = (Math.imul(key, 0x9e3779b1) >>> 18) & (slots - 1);
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (slots - 1);
    if (keys[slot] === key) {
      piece = values[slot]!;
      continue;
    }
    put(piece);
    keys[slot] = key;
    values[slot] = next++;
    if (next >= 1 << width && width < 12) width++;
    if (next === codes - 2) {
      put(clear);
      keys.fill(-1);
      next = first;
      width = 9;
    }
    piece = byte;
  }
  if (piece >= 0) {
    put(piece);
    next++;
    if (next >= 1 << width && width < 12) width++;
  }
  put(end);
  if (bits > 0) out[length++] = (buffer << (8 - bits)) & 255;
  return out.subarray(0, length);
}
