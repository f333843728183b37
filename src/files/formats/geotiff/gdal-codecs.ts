import { inflateSync, zstdDecompressSync } from 'node:zlib';
import type { SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { unpackImage } from '../../geo/raster/translate.ts';
import type { Decoder } from './compression.ts';
import { type Directory, tag } from './directory.ts';

/** Size and type of a block, for codecs that need to know them. */
export interface BlockShape {
  width: number;
  height: number;
  /** Samples per cell in the block. */
  samples: number;
  type: SampleType;
}

const names: Readonly<Record<number, string>> = {
  2: 'CCITT RLE',
  3: 'CCITT fax group 3',
  4: 'CCITT fax group 4',
  6: 'old-style JPEG',
  7: 'JPEG',
  9: 'JBIG on black and white',
  10: 'JBIG on colour',
  32766: 'NeXT',
  32771: 'CCITT RLE/W',
  32809: 'ThunderScan',
  32908: 'PixarFilm',
  32909: 'PixarLog',
  34661: 'JBIG',
  34676: 'SGI LogLuv',
  34677: 'SGI LogLuv 24',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  34933: 'PNG',
  34934: 'JPEG XR',
  50001: 'WebP',
  50002: 'JPEG XL',
  52546: 'JPEG XL',
};

export const compressionName = (compression: number): string =>
  names[compression] === undefined ? `number ${compression}` : `${names[compression]} (number ${compression})`;

/**
 * A decoder for compressions whose blocks are image files: JPEG, WebP and LERC, decoded by GDAL. Undefined for others.
 */
export async function imageCodec(
  compression: number,
  directory: Directory,
  shape: BlockShape,
): Promise<Decoder | undefined> {
  if (compression === 7) return jpeg(directory, shape);
  if (compression === 50001) return webp(shape);
  if (compression === 34887) return lerc(directory, shape);
  return undefined;
}

/**
 * A block with a single value compresses to a few bytes, so there is no useful limit. The size of blocks is limited in
 * `readLayout`.
 */
const maxExpansion = 2 ** 24;

async function jpeg(directory: Directory, shape: BlockShape): Promise<Decoder> {
  if (shape.type !== 'UInt8')
    throw new ConversionError(`JPEG blocks with samples of ${shape.type} are not supported. Only UInt8 is.`);
  const tables = await directory.bytes(tag.jpegTables);
  const converted = (await directory.number(tag.photometric, 1)) === 6;
  // Adobe's marker declares three components as RGB or YCbCr; without it a decoder would guess.
  const adobe = Buffer.from([0xff, 0xee, 0, 14, 65, 100, 111, 98, 101, 0, 100, 0, 0, 0, 0, converted ? 1 : 0]);
  const start = [Buffer.from([0xff, 0xd8]), ...(shape.samples === 3 ? [adobe] : [])];
  // Remove the start-of-image markers of tables and block, and the end-of-image marker of the tables.
  const shared = tables.length > 4 ? tables.subarray(2, tables.length - 2) : tables.subarray(0, 0);
  return {
    name: 'JPEG',
    maxExpansion,
    decode(bytes, _most, offset) {
      if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw new FormatError('A block is not a JPEG.', offset);
      const file = Buffer.concat([...start, shared, bytes.subarray(2)]);
      return withOffset(unpackImage({ driver: 'JPEG', files: [['.jpg', file]], ...shape }), offset);
    },
  };
}

function webp(shape: BlockShape): Decoder {
  if (shape.type !== 'UInt8' || shape.samples < 3 || shape.samples > 4)
    throw new ConversionError(`WebP blocks with ${shape.samples} samples of ${shape.type} are not supported.`);
  return {
    name: 'WebP',
    maxExpansion,
    decode: (bytes, _most, offset) =>
      withOffset(unpackImage({ driver: 'WEBP', files: [['.webp', bytes]], ...shape }), offset),
  };
}

const lercCompressions: Readonly<
  Record<number, (bytes: Uint8Array, bound: { maxOutputLength: number }) => Uint8Array>
> = {
  0: (bytes) => bytes,
  1: inflateSync,
  2: zstdDecompressSync,
};

/**
 * LERC blocks, which may be compressed again with Deflate or Zstd. GDAL's MRF driver reads such a block as a file of
 * one page.
 */
async function lerc(directory: Directory, shape: BlockShape): Promise<Decoder> {
  const [, method = 0] = await directory.numbers(tag.lercParameters);
  const decompress = lercCompressions[method];
  // The MRF driver does not support Int8.
  if (shape.type === 'Int8') throw new ConversionError('LERC blocks with samples of Int8 are not supported.');
  if (decompress === undefined)
    throw new ConversionError(`LERC blocks with additional compression ${method} are not supported.`);
  return {
    name: 'LERC',
    maxExpansion,
    async decode(bytes, maxBytes, offset) {
      let blob: Uint8Array;
      try {
        blob = decompress(bytes, { maxOutputLength: 2 * maxBytes + 4096 });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
        throw new FormatError(`A compressed block cannot be decoded: ${error.message}.`, offset);
      }
      return withOffset(unpackLerc(blob, shape), offset);
    },
  };
}

/** Decodes a block that consists of one blob with all samples, or of one blob per sample. */
async function unpackLerc(blob: Uint8Array, shape: BlockShape): Promise<Uint8Array> {
  const { samples } = shape;
  if (samples === 1 || lercHeader(blob, shape).depth === samples) return unpackBlob(blob, shape);
  const planes: Uint8Array[] = [];
  for (let rest = blob; planes.length < samples; ) {
    const { length } = lercHeader(rest, shape);
    planes.push(await unpackBlob(rest.subarray(0, length), { ...shape, samples: 1 }));
    rest = rest.subarray(length);
  }
  const size = sampleArrays[shape.type].BYTES_PER_ELEMENT;
  const cells = planes[0]!.length / size;
  const interleaved = new Uint8Array(cells * samples * size);
  for (const [band, plane] of planes.entries()) {
    if (plane.length !== cells * size) throw new FormatError('The LERC blobs of a block have different sizes.');
    for (let cell = 0; cell < cells; cell++)
      interleaved.set(plane.subarray(cell * size, (cell + 1) * size), (cell * samples + band) * size);
  }
  return interleaved;
}

async function unpackBlob(blob: Uint8Array, shape: BlockShape): Promise<Uint8Array> {
  const { rows } = lercHeader(blob, shape);
  const type = shape.type === 'UInt8' ? 'Byte' : shape.type;
  const size = `x="${shape.width}" y="${rows}" c="${shape.samples}"`;
  const page = (path: string) =>
    `<MRF_META><Raster><Size ${size}/><PageSize ${size}/><Compression>LERC</Compression><DataType>${type}</DataType>` +
    `${type.startsWith('Float') ? '<DataValues NoData="nan"/>' : ''}` +
    `<DataFile>${path}.lrc</DataFile><IndexFile>${path}.idx</IndexFile></Raster></MRF_META>`;
  const entry = Buffer.alloc(16);
  entry.writeBigUInt64BE(BigInt(blob.length), 8);
  const files = [
    ['.mrf', page],
    ['.lrc', blob],
    ['.idx', entry],
  ] as const;
  return unpackImage({ driver: 'MRF', files, ...shape });
}

/**
 * Reads the header of a LERC 2 blob: number of rows (the last strip has fewer), samples per cell and length in bytes.
 */
function lercHeader(blob: Uint8Array, { width, height }: BlockShape): { rows: number; depth: number; length: number } {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.length);
  if (blob.length < 42 || Buffer.from(blob.subarray(0, 6)).toString('latin1') !== 'Lerc2 ')
    throw new FormatError('A block is not LERC.');
  // Version 3 added a checksum before the size, version 4 the number of samples after it.
  const version = view.getInt32(6, true);
  const at = version >= 3 ? 14 : 10;
  const [rows, columns] = [view.getInt32(at, true), view.getInt32(at + 4, true)];
  if (columns !== width || rows < 1 || rows > height)
    throw new FormatError(`A LERC block has ${columns} × ${rows} cells instead of ${width} × ${height}.`);
  const depth = version >= 4 ? view.getInt32(at + 8, true) : 1;
  const length = view.getInt32(at + (version >= 4 ? 20 : 16), true);
  if (length < 42 || length > blob.length)
    throw new FormatError(`A LERC blob declares ${length} bytes. Its block has ${blob.length}.`);
  return { rows, depth, length };
}

/** Adds the offset of the block to errors. */
async function withOffset(decoded: Promise<Uint8Array>, offset: number): Promise<Uint8Array> {
  try {
    return await decoded;
  } catch (error) {
    throw error instanceof FormatError ? new FormatError(error.message, offset) : error;
  }
}
