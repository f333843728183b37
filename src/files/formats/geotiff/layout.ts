import type { SampleType } from '../../data/item.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { codecs, type Decoder } from './compression.ts';
import { type Directory, tag } from './directory.ts';
import { compressionName, imageCodec } from './gdal-codecs.ts';

/** Layout of the samples in the file. `format` is 1 unsigned, 2 signed, 3 floating point. */
export interface Layout {
  width: number;
  height: number;
  samples: number;
  bits: number;
  format: number;
  /** Type of the samples in memory. */
  type: SampleType;
  /** The file has 64-bit integers; `type` is then Float64. */
  integer64?: 'Int64' | 'UInt64';
  /** TIFF's term: the samples of a cell are adjacent. Otherwise each band has its own blocks. */
  chunky: boolean;
  littleEndian: boolean;
  codec: Decoder;
  predictor: number;
  tiled: boolean;
  blockWidth: number;
  blockHeight: number;
  blocksAcross: number;
  blocksDown: number;
  /**
   * Offsets of all blocks, row by row, then band by band if planar. A block with offset and count 0 was never written
   * (sparse file).
   */
  offsets: Float64Array;
  byteCounts: Float64Array;
}

/** Maximum width, because whole rows are held in memory. */
const maxColumns = 10_000_000;
/** Maximum size of a decoded block in bytes; lower if GDAL decodes it, as WebAssembly has less memory. */
const maxBlock = 1 << 30;
const maxGdalBlock = 1 << 27;

const types: Readonly<Record<string, SampleType>> = {
  '1/1': 'UInt8',
  '1/2': 'UInt8',
  '1/4': 'UInt8',
  '1/8': 'UInt8',
  '1/16': 'UInt16',
  '1/32': 'UInt32',
  '1/64': 'Float64',
  '2/8': 'Int8',
  '2/16': 'Int16',
  '2/32': 'Int32',
  '2/64': 'Float64',
  '3/16': 'Float32',
  '3/32': 'Float32',
  '3/64': 'Float64',
};
const formatNames = ['', 'unsigned', 'signed', 'floating point', 'unsigned', 'complex integer', 'complex'];

export const bytesPerRow = (layout: Layout): number =>
  Math.ceil((layout.blockWidth * (layout.chunky ? layout.samples : 1) * layout.bits) / 8);

/**
 * Reads the tags. Offsets and byte counts are unchanged: see `repairByteCounts`.
 * @throws FormatError if the tags contradict each other; ConversionError if the file is valid, but not supported
 */
export async function readLayout(directory: Directory, { remark }: Pick<Context, 'remark'>): Promise<Layout> {
  const broken = (message: string) => new FormatError(message, directory.offset);
  const width = await directory.whole(tag.imageWidth, 0);
  const height = await directory.whole(tag.imageLength, 0);
  if (!(width >= 1 && height >= 1)) throw broken(`The image has ${width} × ${height} cells.`);
  if (width > maxColumns) throw broken(`The image has ${width} columns. The maximum is ${maxColumns}.`);
  const samples = await directory.whole(tag.samplesPerPixel, 1);
  if (!(samples >= 1 && samples <= 65535)) throw broken(`The image has ${samples} bands.`);
  const bits = await same(directory, tag.bitsPerSample, samples, 1);
  const format = await same(directory, tag.sampleFormat, samples, 1);
  const type = types[`${format === 4 ? 1 : format}/${bits}`];
  if (type === undefined)
    throw new ConversionError(
      `Samples of ${bits} bits (${formatNames[format] ?? `format ${format}`}) are not supported.`,
    );
  const compression = await directory.number(tag.compression, 1);
  const predictor = codecs[compression] === undefined ? 1 : await directory.number(tag.predictor, 1);
  const float = format === 3;
  if (![1, 2, 3].includes(predictor) || (predictor === 3 && !float) || (predictor === 2 && bits < 8))
    throw broken(`Predictor ${predictor} is not valid for samples of ${bits} bits (${formatNames[format]}).`);
  const planar = await directory.number(tag.planarConfiguration, 1);
  if (planar !== 1 && planar !== 2) throw broken(`The planar configuration is ${planar}. It must be 1 or 2.`);
  const tiled = directory.has(tag.tileWidth);
  const blockWidth = tiled ? await directory.whole(tag.tileWidth, 0) : width;
  const blockHeight = tiled
    ? await directory.whole(tag.tileLength, 0)
    : Math.min(height, await directory.whole(tag.rowsPerStrip, height));
  if (!(blockWidth >= 1 && blockHeight >= 1))
    throw broken(`The image has blocks of ${blockWidth} × ${blockHeight} cells.`);
  const shape = { width: blockWidth, height: blockHeight, samples: planar === 1 ? samples : 1, type };
  const codec = codecs[compression] ?? (await imageCodec(compression, directory, shape));
  if (codec === undefined)
    throw new ConversionError(`The compression ${compressionName(compression)} is not supported.`);
  const layout: Layout = {
    width,
    height,
    samples,
    bits,
    format: format === 4 ? 1 : format,
    type,
    ...(bits === 64 && !float ? { integer64: format === 2 ? 'Int64' : 'UInt64' } : {}),
    chunky: planar === 1 || samples === 1,
    // GDAL decodes to the byte order of this machine.
    littleEndian: directory.littleEndian || codecs[compression] === undefined,
    codec,
    predictor: compression === 1 || compression === 32773 ? 1 : predictor,
    tiled,
    blockWidth,
    blockHeight,
    blocksAcross: Math.ceil(width / blockWidth),
    blocksDown: Math.ceil(height / blockHeight),
    offsets: new Float64Array(0),
    byteCounts: new Float64Array(0),
  };
  const blocks = layout.blocksAcross * layout.blocksDown * (layout.chunky ? 1 : samples);
  const { offsetTag, countTag, swapped } = blockTags(directory, tiled);
  if (swapped) remark(`The image lists its ${tiled ? 'tiles in the tags of strips' : 'strips in the tags of tiles'}.`);
  if (directory.count(offsetTag) < blocks)
    throw broken(`The image has ${blocks} blocks, but the file lists ${directory.count(offsetTag)}.`);
  const raw = bytesPerRow(layout) * blockHeight;
  // Uncompressed strips are read in parts.
  if ((tiled || compression !== 1) && raw > maxBlock)
    throw new ConversionError(`The image has blocks of ${raw} bytes. The maximum is ${maxBlock}.`);
  if (codecs[compression] === undefined && raw > maxGdalBlock)
    throw new ConversionError(`The image has ${codec.name} blocks of ${raw} bytes. The maximum is ${maxGdalBlock}.`);
  const assembled = Math.min(blockHeight, height) * width * 8;
  if (tiled && assembled > maxBlock)
    throw new ConversionError(`A row of tiles takes ${assembled} bytes. The maximum is ${maxBlock}.`);
  layout.offsets = await directory.wholes(offsetTag, blocks);
  // counts that are missing are 0
  layout.byteCounts = new Float64Array(blocks);
  layout.byteCounts.set(await directory.wholes(countTag, Math.min(blocks, directory.count(countTag))));
  return layout;
}

/** Some programs list tiles in the tags of strips, or strips in those of tiles. */
function blockTags(directory: Directory, tiled: boolean): { offsetTag: number; countTag: number; swapped: boolean } {
  const tiles = { offsetTag: tag.tileOffsets, countTag: tag.tileByteCounts };
  const strips = { offsetTag: tag.stripOffsets, countTag: tag.stripByteCounts };
  const [usual, other] = tiled ? [tiles, strips] : [strips, tiles];
  const swapped = directory.count(usual.offsetTag) === 0 && directory.count(other.offsetTag) > 0;
  const found = swapped ? other : usual;
  const countTag = directory.count(found.countTag) > 0 ? found.countTag : usual.countTag;
  return { offsetTag: found.offsetTag, countTag, swapped };
}

/** The value of a tag, which must be the same for all samples. */
async function same(directory: Directory, id: number, samples: number, otherwise: number): Promise<number> {
  const count = Math.min(directory.count(id), samples);
  const values = await directory.numbers(id, count);
  const first = values[0] ?? otherwise;
  if (values.some((value) => value !== first))
    throw new ConversionError(
      `Bands of different types (tag ${id}: ${values.slice(0, 8).join(', ')}) are not supported.`,
    );
  return first;
}

/** Number of rows in a block: the last strip may be shorter than the others. */
export const rowsOf = (layout: Layout, block: number): number =>
  layout.tiled
    ? layout.blockHeight
    : Math.min(layout.blockHeight, layout.height - (block % layout.blocksDown) * layout.blockHeight);
