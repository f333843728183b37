import type { StoredSamples } from './stored.ts';

type Whole = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** Rows of whole numbers of these bytes, whatever they stand for: differences are taken modulo their size. */
function wholes(bytes: Uint8Array, size: number): Whole {
  if (size === 1) return bytes;
  if (size === 2) return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  if (size === 4) return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length >> 3);
}

/** Horizontal differences (predictor 2) back to values, in place; `samples` to a cell. */
export function undoDifferences(bytes: Uint8Array, size: number, rowBytes: number, samples: number): void {
  const values = wholes(bytes, size);
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
 * Predictor 3 (Adobe's technical note 3): the bytes of a row's numbers, first all the highest ones, then the next …, each less its
 * neighbour; back to numbers in this machine's order of bytes, into `out`, which has as many bytes. `samples` to a cell.
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

/** The four planes of a row side by side: the sum of a plane goes on where the one before it ends. */
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

/** Predictor 2 over rows of `width` samples, in place. */
export function takeDifferences(values: Exclude<StoredSamples, Float32Array | Float64Array>, width: number): void {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let from = values.length - width; from >= 0; from -= width)
      for (let i = from + width - 1; i > from; i--) values[i] = values[i]! - values[i - 1]!;
    return;
  }
  for (let from = values.length - width; from >= 0; from -= width)
    for (let i = from + width - 1; i > from; i--) values[i] = values[i]! - values[i - 1]!;
}

/** Predictor 3 over rows of `width` numbers, into `out`, which has as many bytes. */
export function takeFloatDifferences(values: Float32Array | Float64Array, width: number, out: Uint8Array): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const rowBytes = width * values.BYTES_PER_ELEMENT;
  for (let row = 0; row < bytes.length; row += rowBytes) {
    if (values instanceof Float32Array) takeSingles(words(bytes), row, width, out);
    else takePlanes(bytes, row, { size: values.BYTES_PER_ELEMENT, rowBytes }, out);
  }
}

/** The four planes of a row side by side: each goes on from the last byte of the one before it. */
function takeSingles(values: Uint32Array, row: number, count: number, out: Uint8Array): void {
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

function takePlanes(
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
