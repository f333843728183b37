import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '../../data/bytes.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { translateFile } from '../../geo/raster/translate.ts';
import type { Context } from '../define.ts';
import { FileSink } from '../io/bytes.ts';
import { piecesOf } from '../io/pieces.ts';
import { type Directory, tag } from './directory.ts';
import { compressionName } from './gdal-codecs.ts';

/** Compressions that only GDAL decodes: fax, NeXT, ThunderScan, PixarLog, SGI LogLuv. */
const decodedByGdal = [2, 3, 4, 32766, 32771, 32809, 32909, 34676, 34677];
const usualBits = [1, 2, 4, 8, 16, 32, 64];

/**
 * Why an image must be converted by GDAL before our reader can read it, as a noun for a sentence; undefined for nearly
 * all images.
 */
export async function gdalReason(directory: Directory): Promise<string | undefined> {
  const compression = await directory.number(tag.compression, 1);
  if (decodedByGdal.includes(compression)) return `the compression ${compressionName(compression)}`;
  const bits = await firstValues(directory, tag.bitsPerSample);
  const formats = await firstValues(directory, tag.sampleFormat);
  if (bits.some((one) => one !== bits[0]) || formats.some((one) => one !== formats[0]))
    return `bands of different types (${bits.slice(0, 8).join(', ')} bits)`;
  const [width = 1] = bits;
  if (width < 32 && (!usualBits.includes(width) || (formats[0] === 2 && width < 8))) return `samples of ${width} bits`;
  if ((await directory.number(tag.fillOrder, 1)) === 2) return 'bits in reverse order';
  if ((await directory.number(tag.photometric, 1)) === 6 && compression !== 7) return 'YCbCr colours';
  return (await controlPoints(directory)) > 0 ? 'control points' : undefined;
}

/** Number of ground control points, if they are the only georeference of the image. */
export async function controlPoints(directory: Directory): Promise<number> {
  const alone =
    !directory.has(tag.modelTransformation) &&
    directory.count(tag.modelTiepoint) > 6 &&
    directory.count(tag.modelPixelScale) < 2;
  return alone ? Math.floor(directory.count(tag.modelTiepoint) / 6) : 0;
}

const firstValues = async (directory: Directory, id: number): Promise<number[]> => [
  ...(await directory.numbers(id, Math.min(directory.count(id), 65535))),
];

/**
 * Converts the image with GDAL to an uncompressed GeoTIFF in the scratch folder. An image that is georeferenced only by
 * control points is resampled to a north-up grid.
 * @throws FormatError or ConversionError if GDAL cannot read the image
 */
export async function convertByGdal(
  source: ByteSource,
  directory: Directory,
  reason: string,
  context: Context,
): Promise<ByteSource> {
  await checkExpansion(source, directory);
  const input = join(context.scratch, `${randomUUID()}.tif`);
  const output = join(context.scratch, `${randomUUID()}.tif`);
  const hasControlPoints = (await controlPoints(directory)) > 0;
  context.log('info', `The image has ${reason}; GDAL reads it.`);
  context.onEnd(() => rm(output, { force: true }));
  const [bits = 1] = await firstValues(directory, tag.bitsPerSample);
  const wholeBytes = [8, 16, 32].find((width) => width >= bits && bits > 2 && bits < 32);
  // Without NBITS, GDAL would keep the number of bits.
  const width =
    wholeBytes === undefined || (await directory.number(tag.sampleFormat, 1)) === 3
      ? []
      : ['-co', `NBITS=${wholeBytes}`];
  const options = ['COMPRESS=NONE', 'BIGTIFF=IF_SAFER', 'INTERLEAVE=BAND'].flatMap((option) => ['-co', option]);
  const uncompressed = [...width, '-of', 'GTiff', ...options];
  try {
    await copyTo(input, source, context.signal);
    await translateFile(input, output, {
      driver: 'GTiff',
      argv: hasControlPoints ? [...uncompressed, '-r', 'near', '-overwrite'] : uncompressed,
      warp: hasControlPoints,
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new ConversionError(`The image has ${reason}. ${error.message}`);
  } finally {
    await rm(input, { force: true });
  }
  if (hasControlPoints)
    context.reportLoss(
      'The image was georeferenced by control points only. It was resampled (nearest cell) with a polynomial through them.',
    );
  return reopened(output);
}

/** Images up to this size are always converted; above it, the ratio to the file size is limited. */
const harmless = 100 << 20;
const maxExpansion = 200;

/** @throws FormatError if the image declares a size that is implausible for its file */
async function checkExpansion({ size }: ByteSource, directory: Directory): Promise<void> {
  const width = await directory.number(tag.imageWidth, 0);
  const height = await directory.number(tag.imageLength, 0);
  const samples = await directory.number(tag.samplesPerPixel, 1);
  const bits = Math.max(...(await firstValues(directory, tag.bitsPerSample)), 1);
  const bytes = (width * height * samples * bits) / 8;
  if (bytes > harmless && bytes > maxExpansion * size)
    throw new FormatError(
      `The image declares ${width} × ${height} cells, which take ${bytes} bytes. The file has only ${size}.`,
      directory.offset,
    );
}

async function copyTo(path: string, source: ByteSource, signal: AbortSignal): Promise<void> {
  await using sink = await FileSink.create(path, { checksum: false });
  for await (const piece of piecesOf(source, { signal })) await sink.append(piece);
  await sink.flush();
}

/** A source that opens its file for each read, so that it need not be closed. */
async function reopened(path: string): Promise<ByteSource> {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    await using file = await open(path);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  await using file = await open(path);
  return { size: (await file.stat()).size, read };
}
