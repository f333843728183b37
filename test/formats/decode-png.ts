import { crc32, inflateSync } from 'node:zlib';

export interface Picture {
  width: number;
  height: number;
  rgba: Uint8Array;
}

/** Whether two pictures are the same. ava's `deepEqual` would sort a name for each of their millions of bytes. */
export const samePicture = (one: Picture, other: Picture): boolean =>
  one.width === other.width && one.height === other.height && Buffer.compare(one.rgba, other.rgba) === 0;

/** A PNG decoder of its own, by the specification: the test's referee. */
export function decodePng(png: Uint8Array): Picture {
  const bytes = Buffer.from(png);
  let data = Buffer.alloc(0);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== bytes.readUInt32BE(at + 8 + length)) throw new Error('A checksum is wrong.');
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4));
    if (body.toString('latin1', 0, 4) === 'IDAT') data = Buffer.concat([data, body.subarray(4)]);
    at += 12 + length;
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const raw = inflateSync(data);
  const indexed = bytes[25] === 3;
  const size = indexed ? 1 : bytes[25] === 2 ? 3 : 4;
  const stride = width * size;
  const samples = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)]!;
    for (let i = 0; i < stride; i++) {
      const a = i < size ? 0 : samples[row * stride + i - size]!;
      const b = row === 0 ? 0 : samples[(row - 1) * stride + i]!;
      const c = i < size || row === 0 ? 0 : samples[(row - 1) * stride + i - size]!;
      samples[row * stride + i] = raw[row * (stride + 1) + 1 + i]! + predicted(filter, a, b, c);
    }
  }
  if (size === 4) return { width, height, rgba: samples };
  if (size === 3) {
    const opaque = new Uint8Array(4 * width * height).fill(255);
    for (let n = 0; n < samples.length; n++) opaque[n + Math.floor(n / 3)] = samples[n]!;
    return { width, height, rgba: opaque };
  }
  const [palette, alphas] = [chunks.get('PLTE')!, chunks.get('tRNS')];
  const rgba = new Uint8Array(4 * samples.length);
  for (const [n, index] of samples.entries()) {
    for (let channel = 0; channel < 3; channel++) rgba[4 * n + channel] = palette[3 * index + channel]!;
    rgba[4 * n + 3] = alphas?.[index] ?? 255;
  }
  return { width, height, rgba };
}

function predicted(filter: number, a: number, b: number, c: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return a;
  if (filter === 2) return b;
  if (filter === 3) return (a + b) >> 1;
  if (filter !== 4) throw new Error(`There is no filter ${filter}.`);
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** Colour of a pixel, such as `255,255,255`. */
export const pixel = ({ width, rgba }: Picture, column: number, row: number): string =>
  [...rgba.subarray(4 * (row * width + column), 4 * (row * width + column) + 3)].join();

/** Colour and alpha of a pixel, such as `255,255,255,0`. */
export const pixelAlpha = ({ width, rgba }: Picture, column: number, row: number): string =>
  [...rgba.subarray(4 * (row * width + column), 4 * (row * width + column) + 4)].join();

/** Number of pixels of each colour. */
export function colours({ rgba }: Picture): Map<string, number> {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgba.length; at += 4) {
    const colour = (rgba[at]! << 16) | (rgba[at + 1]! << 8) | rgba[at + 2]!;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return new Map(
    [...counts].map(([colour, count]) => [[colour >> 16, (colour >> 8) & 255, colour & 255].join(), count]),
  );
}
