import type { StoredValues } from '../../data/stored-values.ts';

type Integers = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** A view of the bytes as unsigned integers, also of signed ones: differences are modulo 2^bits. */
function integersOf(bytes: Uint8Array, size: number): Integers {
  if (size === 1) return bytes;
  if (size === 2) return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  if (size === 4) return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length >> 3);
}

/** Undoes predictor 2 (horizontal differences) in place; `samples` per cell. */
export function undoDifferences(bytes: Uint8Array, size: number, rowBytes: number, samples: number): void {
  const values = integersOf(bytes, size);
  const row = rowBytes / size;
  if (values instanceof BigUint64Array) {
    for (let from = 0; from < values.length; from += row)
      for (let i = from + samples; i < from + row; i++) values[i] = values[i]! + values[i - samples]!;
  } else {
    for (let from = 0; from < values.length; from += row)
      for (let i = from + samples; i < from + row; i++) values[i] = values[i]! + values[i - samples]!;
  }
}

/**
 * Undoes predictor 3 (Adobe's TIFF technical note 3). Encoded rows consist of byte planes (all most significant bytes
 * first), with each byte as difference to its neighbour. Writes numbers in the byte order of this machine to `out`,
 * which has the same length.
 */
export function undoFloatDifferences(
  bytes: Uint8Array,
  { size, rowBytes, samples }: { size: number; rowBytes: number; samples: number },
  out: Uint8Array,
): void {
  for (let from = 0; from < bytes.length; from += rowBytes) {
    if (samples === 1 && size === 4) undoSingles(bytes, from, rowBytes >> 2, words(out));
    else undoPlanes(bytes, from, { size, rowBytes, samples }, out);
  }
}

const words = (out: Uint8Array) => new Uint32Array(out.buffer, out.byteOffset, out.length >> 2);

/** Four byte planes of a row in one pass. The sum of each plane continues that of the plane before it. */
function undoSingles(bytes: Uint8Array, from: number, count: number, out: Uint32Array): void {
  const second = from + count;
  const third = second + count;
  const fourth = third + count;
  let a = 0;
  let b = 0;
  for (let i = from; i < second; i++) b += bytes[i]!;
  let c = b;
  for (let i = second; i < third; i++) c += bytes[i]!;
  let d = c;
  for (let i = third; i < fourth; i++) d += bytes[i]!;
  const to = from >> 2;
  for (let i = 0; i < count; i++) {
    a += bytes[from + i]!;
    b += bytes[second + i]!;
    c += bytes[third + i]!;
    d += bytes[fourth + i]!;
    out[to + i] = (a << 24) | ((b & 255) << 16) | ((c & 255) << 8) | (d & 255);
  }
}

function undoPlanes(
  bytes: Uint8Array,
  from: number,
  { size, rowBytes, samples }: { size: number; rowBytes: number; samples: number },
  out: Uint8Array,
): void {
  const row = bytes.slice(from, from + rowBytes);
  for (let i = samples; i < rowBytes; i++) row[i] = row[i]! + row[i - samples]!;
  const count = rowBytes / size;
  for (let plane = 0; plane < size; plane++) {
    let to = from + size - 1 - plane;
    for (let i = plane * count; i < (plane + 1) * count; i++, to += size) out[to] = row[i]!;
  }
}

/** Applies predictor 2 to rows of `width` samples, in place. */
export function applyDifferences(values: Exclude<StoredValues, Float32Array | Float64Array>, width: number): void {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let from = values.length - width; from >= 0; from -= width)
      for (let i = from + width - 1; i > from; i--) values[i] = values[i]! - values[i - 1]!;
    return;
  }
  for (let from = values.length - width; from >= 0; from -= width)
    for (let i = from + width - 1; i > from; i--) values[i] = values[i]! - values[i - 1]!;
}

/** Applies predictor 3 to rows of `width` numbers. Writes to `out`, which has the same length in bytes. */
export function applyFloatDifferences(values: Float32Array | Float64Array, width: number, out: Uint8Array): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const rowBytes = width * values.BYTES_PER_ELEMENT;
  for (let row = 0; row < bytes.length; row += rowBytes) {
    if (values instanceof Float32Array) applySingles(words(bytes), row, width, out);
    else applyPlanes(bytes, row, { size: values.BYTES_PER_ELEMENT, rowBytes }, out);
  }
}

/**
 * Four byte planes of a row in one pass. The first difference of each plane refers to the last byte of the plane before
 * it.
 */
function applySingles(values: Uint32Array, row: number, count: number, out: Uint8Array): void {
  const from = row >> 2;
  const second = row + count;
  const third = second + count;
  const fourth = third + count;
  const last = values[from + count - 1]!;
  let a = 0;
  let b = last >>> 24;
  let c = last >>> 16;
  let d = last >>> 8;
  for (let i = 0; i < count; i++) {
    const value = values[from + i]!;
    const nextA = value >>> 24;
    const nextB = value >>> 16;
    const nextC = value >>> 8;
    out[row + i] = nextA - a;
    out[second + i] = nextB - b;
    out[third + i] = nextC - c;
    out[fourth + i] = value - d;
    a = nextA;
    b = nextB;
    c = nextC;
    d = value;
  }
}

function applyPlanes(
  bytes: Uint8Array,
  row: number,
  { size, rowBytes }: { size: number; rowBytes: number },
  out: Uint8Array,
): void {
  let before = 0;
  let to = row;
  for (let plane = size - 1; plane >= 0; plane--) {
    for (let i = row + plane; i < row + rowBytes; i += size) {
      const byte = bytes[i]!;
      out[to++] = byte - before;
      before = byte;
    }
  }
}
