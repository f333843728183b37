import { createRequire } from 'node:module';
import { FormatError } from '../../../errors.ts';
import { unpackImage } from '../../../geo/raster/translate.ts';

/**
 * The numbers of a field that is packed as an image: JPEG 2000 (template 5.40) or PNG (5.41).
 * @param width bits of a number
 */
export const unpackImageNumbers = (
  template: 40 | 41,
  data: Buffer,
  count: number,
  width: number,
): Promise<ArrayLike<number>> => (template === 40 ? unpackJpeg2000(data, count) : unpackPng(data, count, width));

interface Decoder {
  getEncodedBuffer(length: number): Uint8Array;
  decode(): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number; isSigned: boolean };
  getDecodedBuffer(): Uint8Array;
  delete(): void;
}

interface OpenJpeg {
  readonly J2KDecoder: new () => Decoder;
}

let loading: Promise<OpenJpeg> | undefined;

/** OpenJPEG 2 in WebAssembly. The first call loads it, once per thread. */
function openJpeg(): Promise<OpenJpeg> {
  const require = createRequire(import.meta.url);
  const start = require('@cornerstonejs/codec-openjpeg/decodewasmjs') as (options: object) => Promise<OpenJpeg>;
  const file = require.resolve('@cornerstonejs/codec-openjpeg/decodewasm');
  loading ??= start({ locateFile: () => file, print() {}, printErr() {} });
  return loading;
}

/** Size of an image in its header (segment SIZ, ISO/IEC 15444-1 A.5.1): the library would allocate what it claims. */
function checkSize(data: Buffer, count: number): void {
  // A message has the code stream alone, which begins with its size.
  if (data.length < 24 || data.readUInt32BE(0) !== 0xff4fff51)
    throw new FormatError('The values are no JPEG 2000 code stream.');
  const [width, height] = [data.readUInt32BE(8) - data.readUInt32BE(16), data.readUInt32BE(12) - data.readUInt32BE(20)];
  if (width * height !== count)
    throw new FormatError(`An image has ${width} × ${height} cells, but the message has ${count} values.`);
}

async function unpackJpeg2000(data: Buffer, count: number): Promise<ArrayLike<number>> {
  checkSize(data, count);
  const library = await openJpeg();
  const decoder = new library.J2KDecoder();
  try {
    decoder.getEncodedBuffer(data.length).set(data);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount, isSigned } = decoder.getFrameInfo();
    if (width * height !== count || componentCount !== 1)
      throw new FormatError('A JPEG 2000 image of packed values is broken.');
    if (bitsPerSample > 16 || isSigned)
      throw new FormatError(
        `JPEG 2000 images of ${isSigned ? 'signed values of ' : ''}${bitsPerSample} bits are not supported.`,
      );
    const bytes = decoder.getDecodedBuffer().slice();
    return bitsPerSample <= 8 ? bytes : new Uint16Array(bytes.buffer, 0, count);
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(`A JPEG 2000 image of packed values cannot be read: ${String(error)}.`);
  } finally {
    decoder.delete();
  }
}

/** Numbers of up to 16 bits are grey, those of 24 and 32 have their bytes in the colours. */
async function unpackPng(data: Buffer, count: number, bits: number): Promise<ArrayLike<number>> {
  if (data.length < 33 || data.toString('latin1', 12, 16) !== 'IHDR')
    throw new FormatError('The values are no PNG image.');
  const [width, height] = [data.readUInt32BE(16), data.readUInt32BE(20)];
  if (width * height !== count)
    throw new FormatError(`An image has ${width} × ${height} cells, but the message has ${count} values.`);
  const samples = bits === 24 ? 3 : bits === 32 ? 4 : 1;
  const bytes = await unpackImage({ driver: 'PNG', files: [['.png', data]], width, height, samples });
  if (samples === 1) return data[24] === 16 ? new Uint16Array(bytes.slice().buffer) : bytes;
  return Float64Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * samples, (n + 1) * samples).reduce((value, byte) => value * 256 + byte, 0),
  );
}
