import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '../../data/bytes.ts';
import { AppError, FormatError } from '../../errors.ts';
import { translateFile } from '../../geo/raster/translate.ts';
import type { Context } from '../define.ts';
import { FileSink } from '../io/bytes.ts';
import type { Directory } from './directory.ts';
import { tag } from './directory.ts';
import { compressionName } from './gdal-codecs.ts';

/** Compressions that GDAL unpacks, and we do not: fax, NeXT, ThunderScan, PixarLog, SGI LogLuv. */
const unpackedByGdal = [2, 3, 4, 32766, 32771, 32809, 32909, 34676, 34677];
const usualBits = [1, 2, 4, 8, 16, 32, 64];
const chunk = 1 << 20;

/** Why an image has to be led through GDAL before it can be read; undefined for nearly all images. */
export async function oddity(directory: Directory): Promise<string | undefined> {
  const compression = await directory.number(tag.compression, 1);
  if (unpackedByGdal.includes(compression)) return `the compression ${compressionName(compression)}`;
  const bits = await firstValues(directory, tag.bitsPerSample);
  const formats = await firstValues(directory, tag.sampleFormat);
  if (bits.some((one) => one !== bits[0]) || formats.some((one) => one !== formats[0]))
    return `bands of different types (${bits.slice(0, 8).join(', ')} bits)`;
  const [width = 1] = bits;
  if (width < 32 && (!usualBits.includes(width) || (formats[0] === 2 && width < 8))) return `samples of ${width} bits`;
  if ((await directory.number(tag.fillOrder, 1)) === 2) return 'bits in reverse order';
  if ((await directory.number(tag.photometric, 1)) === 6 && compression !== 7) return 'colours as brightness and hue';
  return (await controlPoints(directory)) > 0 ? 'control points' : undefined;
}

/** The number of points that place the image, when nothing else does. */
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
 * The image as GDAL writes it: plain strips in the scratch folder, upright. An image that only has control points is laid out anew.
 * @throws FormatError or AppError when GDAL cannot read it either
 */
export async function plainImage(
  source: ByteSource,
  directory: Directory,
  reason: string,
  context: Context,
): Promise<ByteSource> {
  await checkExpansion(source, directory);
  const input = join(context.scratch, `${randomUUID()}.tif`);
  const output = join(context.scratch, `${randomUUID()}.tif`);
  const placedByPoints = (await controlPoints(directory)) > 0;
  context.log('info', `The image has ${reason}; GDAL reads it.`);
  context.atEnd(() => rm(output, { force: true }));
  const [bits = 1] = await firstValues(directory, tag.bitsPerSample);
  const whole = [8, 16, 32].find((width) => width >= bits && bits > 2 && bits < 32);
  // GDAL would keep the odd number of bits.
  const width =
    whole === undefined || (await directory.number(tag.sampleFormat, 1)) === 3 ? [] : ['-co', `NBITS=${whole}`];
  const plain = [...width, '-of', 'GTiff', '-co', 'COMPRESS=NONE', '-co', 'BIGTIFF=IF_SAFER', '-co', 'INTERLEAVE=BAND'];
  try {
    await copyTo(input, source, context.signal);
    await translateFile(input, output, {
      driver: 'GTiff',
      argv: placedByPoints ? [...plain, '-r', 'near', '-overwrite'] : plain,
      warp: placedByPoints,
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new AppError('unprocessable', `The image has ${reason}. ${error.message}`);
  } finally {
    await rm(input, { force: true });
  }
  if (placedByPoints)
    context.lost(
      'The image was placed by control points alone; its cells were laid out anew by a polynomial through them, each with the value of the nearest cell.',
    );
  return reopened(output);
}

/** Bytes that may be written in any case, and how many times the file's own size beyond that. */
const harmless = 100 << 20;
const mostExpansion = 200;

/** @throws FormatError when the image claims to be far larger than its file can be */
async function checkExpansion({ size }: ByteSource, directory: Directory): Promise<void> {
  const width = await directory.number(tag.imageWidth, 0);
  const height = await directory.number(tag.imageLength, 0);
  const samples = await directory.number(tag.samplesPerPixel, 1);
  const bits = Math.max(...(await firstValues(directory, tag.bitsPerSample)), 1);
  const bytes = (width * height * samples * bits) / 8;
  if (bytes > harmless && bytes > mostExpansion * size)
    throw new FormatError(
      `The image claims ${width} × ${height} cells, which take ${bytes} bytes; the file has ${size}.`,
      directory.offset,
    );
}

async function copyTo(path: string, source: ByteSource, signal: AbortSignal): Promise<void> {
  const sink = await FileSink.create(path, { checksum: false });
  try {
    while (sink.position < source.size) {
      signal.throwIfAborted();
      const bytes = await source.read(sink.position, chunk);
      if (bytes.length === 0) throw new Error(`The input ended at byte ${sink.position} of ${source.size}.`);
      await sink.append(bytes);
    }
    await sink.flush();
  } finally {
    await sink.close();
  }
}

/** A file that is opened for each reading, so that nobody has to close it. */
async function reopened(path: string): Promise<ByteSource> {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    await using file = await open(path);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  await using file = await open(path);
  return { size: (await file.stat()).size, read };
}
