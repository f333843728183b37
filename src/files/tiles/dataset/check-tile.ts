import { crc32, gunzipSync, inflateSync } from 'node:zlib';
import type { StoredTile } from '../../formats/io/pmtiles/archive-reader.ts';
import type { OutputType } from '../raster/encode-tile.ts';

interface TileFormat {
  readonly outputType: OutputType;
  readonly tileWidth: number;
  readonly tileHeight: number;
}

/** A sentence about a tile that cannot be decoded. Undefined for a good one. */
export function findProblem({ bytes, gzip }: StoredTile, format: TileFormat): string | undefined {
  const { outputType, tileWidth, tileHeight } = format;
  const pixels = tileWidth * tileHeight;
  try {
    if (outputType === 'PNG') return problemOfPng(Buffer.from(bytes), format);
    if (outputType === 'WEBP') return problemOfWebp(Buffer.from(bytes), format);
    const wanted = outputType === 'RawData' ? 4 * pixels : pixels;
    const { length } = gzip ? gunzipSync(bytes, { maxOutputLength: wanted + 1 }) : bytes;
    return length === wanted ? undefined : `It has ${length} bytes instead of ${wanted}.`;
  } catch (error) {
    return `It cannot be decoded: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples of a pixel by the colour type of PNG. */
const SAMPLES = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

function problemOfPng(png: Buffer, format: TileFormat): string | undefined {
  if (!png.subarray(0, 8).equals(SIGNATURE)) return 'It is no PNG.';
  const data: Buffer[] = [];
  let [header, hasEnded]: [Buffer | undefined, boolean] = [undefined, false];
  for (let at = 8; at < png.length && !hasEnded; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (png.readUInt32BE(at + 8 + length) !== crc32(png.subarray(at + 4, at + 8 + length)))
      return `The checksum of its chunk ${name} is wrong.`;
    if (name === 'IHDR') header = content;
    if (name === 'IDAT') data.push(content);
    hasEnded = name === 'IEND';
    at += 12 + length;
  }
  if (header === undefined || !hasEnded) return 'It is cut off.';
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const wrongSize = problemOfSize(width, height, format);
  if (wrongSize !== undefined) return wrongSize;
  const bits = header[8]! * (SAMPLES.get(header[9]!) ?? 0);
  const wanted = height * (1 + Math.ceil((width * bits) / 8));
  const { length } = inflateSync(Buffer.concat(data), { maxOutputLength: wanted + 1 });
  return length === wanted ? undefined : `Its rows have ${length} bytes instead of ${wanted}.`;
}

/** Header and size of lossless WebP (`VP8L`). */
function problemOfWebp(webp: Buffer, format: TileFormat): string | undefined {
  if (webp.toString('latin1', 0, 4) !== 'RIFF' || webp.toString('latin1', 8, 16) !== 'WEBPVP8L')
    return 'It is no lossless WebP.';
  if (webp.readUInt32LE(4) + 8 !== webp.length) return 'It is cut off.';
  const bits = webp.readUInt32LE(21);
  return problemOfSize((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1, format);
}

const problemOfSize = (width: number, height: number, { tileWidth, tileHeight }: TileFormat) =>
  width === tileWidth && height === tileHeight
    ? undefined
    : `It has ${width} × ${height} pixels instead of ${tileWidth} × ${tileHeight}.`;
