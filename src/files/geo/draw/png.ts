import { crc32, deflateSync } from 'node:zlib';

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Encodes 8-bit RGBA pixels, row by row from the top, as a PNG (W3C third edition). */
export function encodePng(width: number, height: number, rgba: Uint8Array): Uint8Array<ArrayBuffer> {
  if (rgba.length !== width * height * 4)
    throw new RangeError(`${rgba.length} bytes are not ${width} × ${height} pixels.`);
  const pixels = deflateSync(filtered(width, height, rgba), { level: 9 });
  return pngOf({ width, height, colourType: 6 }, [['IDAT', pixels]]);
}

/**
 * A PNG of 8 bits per sample: its signature, header, the given chunks and end. Colour type 3 is a palette, 6 true
 * colour with alpha.
 */
export function pngOf(
  { width, height, colourType }: { width: number; height: number; colourType: 3 | 6 },
  chunks: readonly (readonly [type: string, data: Uint8Array])[],
): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  header[9] = colourType;
  const parts = [
    Uint8Array.from(signature),
    chunk('IHDR', header),
    ...chunks.map(([type, data]) => chunk(type, data)),
    chunk('IEND', new Uint8Array()),
  ];
  const png = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    png.set(part, at);
    at += part.length;
  }
  return png;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/**
 * Filters each row with the filter that gives the smallest sum of absolute differences, as the specification advises
 * (12.7).
 */
function filtered(width: number, height: number, rgba: Uint8Array): Uint8Array {
  const stride = width * 4;
  const out = new Uint8Array((stride + 1) * height);
  let [trial, best] = [new Uint8Array(stride), new Uint8Array(stride)];
  // the left neighbours of the first pixel are zeros, and so is the row above the first one
  const rows = [new Uint8Array(stride + 4), new Uint8Array(stride + 4)] as const;
  for (let row = 0; row < height; row++) {
    const [line, above] = row % 2 === 0 ? rows : [rows[1], rows[0]];
    line.set(rgba.subarray(row * stride, (row + 1) * stride), 4);
    let least = Infinity;
    for (let type = 0; type < FILTERS.length && least > 0; type++) {
      const sum = FILTERS[type]!(line, above, trial, least);
      if (sum >= least) continue;
      least = sum;
      out[row * (stride + 1)] = type;
      [trial, best] = [best, trial];
    }
    out.set(best, row * (stride + 1) + 1);
  }
  return out;
}

/**
 * Writes the differences of a row to `trial` and returns the sum of their absolute values; gives up as soon as it
 * reaches `least`. `line` and
 * `above` begin with a pixel of zeros.
 */
type Filter = (line: Uint8Array, above: Uint8Array, trial: Uint8Array, least: number) => number;

/**
 * By type: none, sub, up, average, Paeth. A loop each: one that calls a predictor per byte takes five times as long.
 */
const FILTERS: readonly Filter[] = [
  (line, _, trial, least) => {
    let sum = 0;
    for (let i = 0; i < trial.length && sum < least; i++) {
      const difference = line[i + 4]!;
      trial[i] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    return sum;
  },
  (line, _, trial, least) => {
    let sum = 0;
    for (let i = 0; i < trial.length && sum < least; i++) {
      const difference = (line[i + 4]! - line[i]!) & 0xff;
      trial[i] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    return sum;
  },
  (line, above, trial, least) => {
    let sum = 0;
    for (let i = 0; i < trial.length && sum < least; i++) {
      const difference = (line[i + 4]! - above[i + 4]!) & 0xff;
      trial[i] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    return sum;
  },
  (line, above, trial, least) => {
    let sum = 0;
    for (let i = 0; i < trial.length && sum < least; i++) {
      const difference = (line[i + 4]! - ((line[i]! + above[i + 4]!) >> 1)) & 0xff;
      trial[i] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    return sum;
  },
  (line, above, trial, least) => {
    let sum = 0;
    for (let i = 0; i < trial.length && sum < least; i++) {
      const [left, up, corner] = [line[i]!, above[i + 4]!, above[i]!];
      const estimate = left + up - corner;
      const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
      const difference = (line[i + 4]! - (a <= b && a <= c ? left : b <= c ? up : corner)) & 0xff;
      trial[i] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    return sum;
  },
];
