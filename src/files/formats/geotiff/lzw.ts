import { FormatError } from '../../errors.ts';

/**
 * TIFF 6.0, section 13: codes of 9 to 12 bits, most significant bit first. The code width grows one code earlier than
 * in GIF ("early change"). Old versions of libtiff (before 3.0) wrote the least significant bit first, without early
 * change.
 */
const clear = 256;
const end = 257;
const first = 258;
const codes = 4096;

/** Decodes at most `maxBytes` bytes. */
export function lzwDecode(bytes: Uint8Array, maxBytes: number, offset: number): Uint8Array {
  const out = new Uint8Array(maxBytes);
  // The string of each code, as start and length of its occurrence in the output.
  const starts = new Int32Array(codes);
  const lengths = new Int32Array(codes);
  let length = 0;
  let next = first;
  let width = 9;
  let previous = -1;
  let buffer = 0;
  let bits = 0;
  const old = isOldLzw(bytes);
  const early = old ? 0 : 1;
  for (let at = 0; length < maxBytes; ) {
    while (bits < width) {
      if (at >= bytes.length) return out.subarray(0, length);
      const byte = bytes[at++]!;
      buffer = old ? buffer | (byte << bits) : ((buffer << 8) | byte) & 0xffffff;
      bits += 8;
    }
    const code = (old ? buffer : buffer >> (bits - width)) & ((1 << width) - 1);
    bits -= width;
    if (old) buffer >>= width;
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
        throw new FormatError(`An LZW block has the invalid code ${code}. The maximum here is ${next}.`, offset + at);
      const from = known ? starts[code]! : previous;
      const count = Math.min(known ? lengths[code]! : start - previous + 1, maxBytes - length);
      // Byte by byte: the string may overlap the bytes that are being written.
      for (let n = 0; n < count; n++) out[length++] = out[from + n]!;
    }
    if (previous >= 0) {
      if (next >= codes) throw new FormatError('An LZW block has more than 4096 codes.', offset + at);
      starts[next] = previous;
      lengths[next] = start - previous + 1;
      next++;
      if (next + early >= 1 << width && width < 12) width++;
    }
    previous = start;
  }
  return out.subarray(0, length);
}

/** The first code is Clear (256): 9 bits, of which the least significant is first. */
export const isOldLzw = (bytes: Uint8Array): boolean => bytes.length >= 2 && bytes[0] === 0 && (bytes[1]! & 1) === 1;

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
  // Hash table with open addressing: code of a string and the next byte → code of both.
  const slots = 1 << 14;
  const keys = new Int32Array(slots).fill(-1);
  const values = new Int16Array(slots);
  let next = first;
  put(clear);
  let prefix = -1;
  for (const byte of bytes) {
    if (prefix < 0) {
      prefix = byte;
      continue;
    }
    const key = (prefix << 8) | byte;
    let slot = (Math.imul(key, 0x9e3779b1) >>> 18) & (slots - 1);
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (slots - 1);
    if (keys[slot] === key) {
      prefix = values[slot]!;
      continue;
    }
    put(prefix);
    keys[slot] = key;
    values[slot] = next++;
    if (next >= 1 << width && width < 12) width++;
    if (next === codes - 2) {
      put(clear);
      keys.fill(-1);
      next = first;
      width = 9;
    }
    prefix = byte;
  }
  if (prefix >= 0) {
    put(prefix);
    next++;
    if (next >= 1 << width && width < 12) width++;
  }
  put(end);
  if (bits > 0) out[length++] = (buffer << (8 - bits)) & 255;
  return out.subarray(0, length);
}
