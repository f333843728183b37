import { crc32, deflateSync } from 'node:zlib';

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Encodes 8-bit RGBA pixels, row by row from the top, as a PNG (W3C third edition). */
export function encodePng(width: number, height: number, rgba: Uint8Array): Uint8Array<ArrayBuffer> {
  if (rgba.length !== width * height * 4)
    throw new RangeError(`${rgba.length} bytes are not ${width} × ${height} pixels.`);
  const pixels = deflateSync(filtered(width, height, rgba), { level: 9 });
  return pngOf({ width, height, colourType: 6 }, [['IDAT', pixels]]);
}

/** A PNG of 8 bits per sample: its signature, header, the given chunks and end. Colour type 3 is a palette, 6 true colour with alpha. */
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

/** Filters each row with the filter that gives the smallest sum of absolute differences, as the specification advises (12.7). */
function filtered(width: number, height: number, rgba: Uint8Array): Uint8Array {
  const stride = width * 4;
  const out = new Uint8Array((stride + 1) * height);
  const trials = Array.from({ length: filters.length }, () => new Uint8Array(stride));
  let above = new Uint8Array(stride);
  for (let row = 0; row < height; row++) {
    const line = rgba.subarray(row * stride, (row + 1) * stride);
    let best = 0;
    let least = Infinity;
    for (const [n, predict] of filters.entries()) {
      const trial = trials[n]!;
      let sum = 0;
      for (let i = 0; i < stride; i++) {
        const left = i < 4 ? 0 : line[i - 4]!;
        const corner = i < 4 ? 0 : above[i - 4]!;
        const difference = (line[i]! - predict(left, above[i]!, corner)) & 0xff;
        trial[i] = difference;
        sum += difference < 128 ? difference : 256 - difference;
      }
      if (sum < least) {
        least = sum;
        best = n;
      }
    }
    out[row * (stride + 1)] = best;
    out.set(trials[best]!, row * (stride + 1) + 1);
    above = line.slice();
  }
  return out;
}

/** By filter type: none, sub, up, average, Paeth. */
const filters: ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const estimate = left + up - corner;
    const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
    return a <= b && a <= c ? left : b <= c ? up : corner;
  },
];
