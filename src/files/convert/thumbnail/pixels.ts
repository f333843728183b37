import { inflateSync } from 'node:zlib';
import { FormatError } from '../../errors.ts';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** Colour types of the PNG specification, and their samples per pixel. */
const samplesOf: Readonly<Record<number, number>> = { 2: 3, 3: 1, 6: 4 };
/** Pixels of the largest picture that is decoded. */
const maxPixels = 4 << 20;

/** @throws FormatError for a PNG that is not of 8 bits per sample, interlaced, or damaged */
export function decodePng(png: Uint8Array): Pixels {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const chunks = new Map<string, Uint8Array>();
  const data: Uint8Array[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const length = view.getUint32(at);
    const type = new TextDecoder('latin1').decode(png.subarray(at + 4, at + 8));
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IDAT') data.push(body);
    else chunks.set(type, body);
    at += 12 + length;
  }
  const header = chunks.get('IHDR');
  if (header === undefined || header.length < 13) throw new FormatError('The PNG has no header.');
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const [bits, colourType, , , interlaced] = header.subarray(8);
  const perPixel = samplesOf[colourType!];
  if (bits !== 8 || perPixel === undefined || interlaced !== 0)
    throw new FormatError(`The PNG has ${bits} bits per sample and the colour type ${colourType}.`);
  if (width * height > maxPixels) throw new FormatError(`The PNG has ${width} × ${height} pixels.`);
  const stride = width * perPixel;
  const raw = inflateSync(Buffer.concat(data), { maxOutputLength: (stride + 1) * height });
  const samples = unfiltered(raw, stride, height, perPixel);
  return { width, height, rgba: toRgba(samples, perPixel, chunks) };
}

function toRgba(samples: Uint8Array, perPixel: number, chunks: ReadonlyMap<string, Uint8Array>): Uint8Array {
  if (perPixel === 4) return samples;
  const rgba = new Uint8Array(4 * (samples.length / perPixel)).fill(255);
  const [palette = new Uint8Array(), alphas = new Uint8Array()] = [chunks.get('PLTE'), chunks.get('tRNS')];
  for (let n = 0; n < samples.length / perPixel; n++) {
    const [from, at] = perPixel === 1 ? [palette, 3 * samples[n]!] : [samples, 3 * n];
    for (let channel = 0; channel < 3; channel++) rgba[4 * n + channel] = from[at + channel] ?? 0;
    if (perPixel === 1) rgba[4 * n + 3] = alphas[samples[n]!] ?? 255;
  }
  return rgba;
}

/** Undoes the filters of rows (PNG third edition, 9.2). */
function unfiltered(raw: Uint8Array, stride: number, height: number, perPixel: number): Uint8Array {
  if (raw.length < (stride + 1) * height) throw new FormatError('The PNG ends before its last row.');
  const samples = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)]!;
    for (let i = 0; i < stride; i++) {
      const at = row * stride + i;
      const left = i < perPixel ? 0 : samples[at - perPixel]!;
      const above = row === 0 ? 0 : samples[at - stride]!;
      const corner = i < perPixel || row === 0 ? 0 : samples[at - stride - perPixel]!;
      samples[at] = raw[row * (stride + 1) + 1 + i]! + predicted(filter, left, above, corner);
    }
  }
  return samples;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}
