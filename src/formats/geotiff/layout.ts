import type { SampleType } from '../../data/item.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { Unpacker } from './compression.ts';
import { codecs } from './compression.ts';
import type { Directory } from './directory.ts';
import { tag } from './directory.ts';
import { compressionName, imageCodec } from './gdal-codecs.ts';

/** How samples lie in the file: `format` 1 unsigned, 2 signed, 3 floating point. */
export interface Layout {
  width: number;
  height: number;
  samples: number;
  bits: number;
  format: number;
  /** Type that is handed over. */
  type: SampleType;
  /** Whole numbers of 64 bits, which `type` does not hold. */
  integer64?: 'Int64' | 'UInt64';
  /** Samples of a cell lie next to each other; else each band has blocks of its own. */
  chunky: boolean;
  littleEndian: boolean;
  codec: Unpacker;
  predictor: number;
  tiled: boolean;
  blockWidth: number;
  blockHeight: number;
  blocksAcross: number;
  blocksDown: number;
  /** Of all blocks, row by row, band after band when not chunky. 0 and 0: the block was never written. */
  offsets: Float64Array;
  byteCounts: Float64Array;
}

/** As for ASCII grids: whole rows are held in memory. */
const mostColumns = 10_000_000;
/** Bytes of one block when unpacked. */
const largestBlock = 1 << 30;
const largestPicture = 1 << 27;

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

/** @throws FormatError when the tags contradict each other or the size of the file; AppError when the file is of a kind that is not read */
export async function readLayout(directory: Directory, fileSize: number): Promise<Layout> {
  const broken = (message: string) => new FormatError(message, directory.offset);
  const width = await directory.number(tag.imageWidth, 0);
  const height = await directory.number(tag.imageLength, 0);
  if (!(width >= 1 && height >= 1)) throw broken(`The image has ${width} × ${height} cells.`);
  if (width > mostColumns) throw broken(`The image has ${width} columns; at most ${mostColumns} are read.`);
  const samples = await directory.number(tag.samplesPerPixel, 1);
  if (!(samples >= 1 && samples <= 65535)) throw broken(`The image has ${samples} bands.`);
  const bits = await same(directory, tag.bitsPerSample, samples, 1);
  const format = await same(directory, tag.sampleFormat, samples, 1);
  const type = types[`${format === 4 ? 1 : format}/${bits}`];
  if (type === undefined)
    throw new AppError(
      'unprocessable',
      `Samples of ${bits} bits, ${formatNames[format] ?? `format ${format}`}, are not read.`,
    );
  const compression = await directory.number(tag.compression, 1);
  const predictor = codecs[compression] === undefined ? 1 : await directory.number(tag.predictor, 1);
  const float = format === 3;
  if (![1, 2, 3].includes(predictor) || (predictor === 3 && !float) || (predictor === 2 && bits < 8))
    throw broken(`Predictor ${predictor} does not fit samples of ${bits} bits, ${formatNames[format]}.`);
  const planar = await directory.number(tag.planarConfiguration, 1);
  if (planar !== 1 && planar !== 2) throw broken(`The planar configuration is ${planar}.`);
  const tiled = directory.has(tag.tileWidth);
  const blockWidth = tiled ? await directory.number(tag.tileWidth, 0) : width;
  const blockHeight = tiled
    ? await directory.number(tag.tileLength, 0)
    : Math.min(height, await directory.number(tag.rowsPerStrip, height));
  if (!(blockWidth >= 1 && blockHeight >= 1))
    throw broken(`The image has blocks of ${blockWidth} × ${blockHeight} cells.`);
  const shape = { width: blockWidth, height: blockHeight, samples: planar === 1 ? samples : 1, type };
  const codec = codecs[compression] ?? (await imageCodec(compression, directory, shape));
  if (codec === undefined)
    throw new AppError('unprocessable', `The compression ${compressionName(compression)} is not read.`);
  const layout: Layout = {
    width,
    height,
    samples,
    bits,
    format: format === 4 ? 1 : format,
    type,
    ...(bits === 64 && !float ? { integer64: format === 2 ? 'Int64' : 'UInt64' } : {}),
    chunky: planar === 1 || samples === 1,
    // What codecs of pictures give is in this machine's order.
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
  const [offsetTag, countTag] = tiled ? [tag.tileOffsets, tag.tileByteCounts] : [tag.stripOffsets, tag.stripByteCounts];
  if (directory.count(offsetTag) < blocks)
    throw broken(`The image has ${blocks} blocks, but the file lists ${directory.count(offsetTag)}.`);
  const raw = bytesPerRow(layout) * blockHeight;
  // Blocks that are stored as they are can be read in parts.
  if ((tiled || compression !== 1) && raw > largestBlock)
    throw new AppError('unprocessable', `The image has blocks of ${raw} bytes; at most ${largestBlock} are read.`);
  // These are unpacked in WebAssembly, whose memory is smaller.
  if (codecs[compression] === undefined && raw > largestPicture)
    throw new AppError(
      'unprocessable',
      `The image has ${codec.name} blocks of ${raw} bytes; at most ${largestPicture} are read.`,
    );
  const assembled = Math.min(blockHeight, height) * width * 8;
  if (tiled && assembled > largestBlock)
    throw new AppError('unprocessable', `A row of tiles takes ${assembled} bytes; at most ${largestBlock} are read.`);
  layout.offsets = await directory.numbers(offsetTag, blocks);
  if (directory.has(countTag)) layout.byteCounts = await directory.numbers(countTag, blocks);
  else if (compression === 1) layout.byteCounts = new Float64Array(blocks).fill(raw);
  else throw broken('The file does not say how long its blocks are.');
  checkBlocks(layout, fileSize, directory.has(countTag));
  return layout;
}

/** The value that all samples of a cell have in common. */
async function same(directory: Directory, id: number, samples: number, otherwise: number): Promise<number> {
  const count = Math.min(directory.count(id), samples);
  const values = await directory.numbers(id, count);
  const first = values[0] ?? otherwise;
  if (values.some((value) => value !== first))
    throw new AppError(
      'unprocessable',
      `Bands of different types (tag ${id}: ${values.slice(0, 8).join(', ')}) are not read.`,
    );
  return first;
}

function checkBlocks(layout: Layout, fileSize: number, told: boolean): void {
  const { offsets, byteCounts, codec } = layout;
  for (let block = 0; block < offsets.length; block++) {
    const offset = offsets[block]!;
    const length = byteCounts[block]!;
    if (length === 0) continue;
    const needed = rowsOf(layout, block) * bytesPerRow(layout);
    if (!told) byteCounts[block] = needed;
    if (!Number.isSafeInteger(offset + length) || offset + byteCounts[block]! > fileSize)
      throw new FormatError(
        `Block ${block} should be at bytes ${offset} to ${offset + length} of a file of ${fileSize} bytes.`,
        offset,
      );
    if (needed > byteCounts[block]! * codec.mostExpansion)
      throw new FormatError(`Block ${block} cannot hold ${needed} bytes: it has ${length}.`, offset);
  }
}

/** Rows that are stored in a block: the last strip may be shorter than the others. */
export const rowsOf = (layout: Layout, block: number): number =>
  layout.tiled
    ? layout.blockHeight
    : Math.min(layout.blockHeight, layout.height - (block % layout.blocksDown) * layout.blockHeight);
