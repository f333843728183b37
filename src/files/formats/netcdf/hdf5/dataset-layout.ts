import type { Dataset } from 'h5wasm';
import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { layoutInOnePiece, type StoredBlock, type StoredFilter, type StoredLayout } from '../../io/stored-layout.ts';
import { ChunkIndex, skipsFilters } from './locate-chunks.ts';
import { addressAt, baseAddress, MESSAGE, objectMessages } from './object-header.ts';

interface Shaped {
  readonly shape: readonly number[];
  /** Lengths in the file; a dimension may have become longer since. */
  readonly stored: readonly number[];
  readonly bytesPerValue: number;
  readonly bigEndian: boolean;
}

/**
 * Where an HDF5 file has the values of a dataset: the library tells the address of its header alone.
 * @throws FormatError for a layout or a filter that cannot be read by ranges of bytes
 */
export async function layoutOfDataset(source: ByteSource, dataset: Dataset, shaped: Shaped): Promise<StoredLayout> {
  const { shape, stored, bytesPerValue, bigEndian } = shaped;
  const base = await baseAddress(source);
  const address = addressAt(Buffer.from(dataset.create_reference().ref_data), 0);
  if (address === undefined) throw new FormatError('The dataset has no address.');
  const messages = await objectMessages(source, base, address);
  const layout = messages.find(({ type }) => type === MESSAGE.layout);
  if (layout === undefined) throw new FormatError('The dataset has no layout.');
  const { bytes } = layout;
  const [version, kind] = [bytes[0], bytes[1]];
  if (version !== 3 && version !== 4) throw new FormatError(`Its layout has the version ${version}.`, layout.offset);
  if (kind !== 2 && stored.some((length, d) => length !== shape[d]))
    throw new FormatError('It is shorter than its dimensions, and not stored in chunks.', layout.offset);
  if (kind === 0) return layoutInOnePiece(shape, { offset: layout.offset + 4, bytesPerValue, bigEndian }, Infinity);
  if (kind === 1) {
    const offset = addressAt(bytes, 2);
    const whole = layoutInOnePiece(shape, { offset: base + (offset ?? 0), bytesPerValue, bigEndian });
    return offset === undefined ? { ...whole, blocks: [] } : whole;
  }
  if (kind !== 2) throw new FormatError('Its values lie in other files.', layout.offset);
  const filters = filtersOf(messages.find(({ type }) => type === MESSAGE.filters)?.bytes, bytesPerValue);
  const index =
    version === 3
      ? treeOf(bytes, shape.length)
      : singleChunk(bytes, { rank: shape.length, isFiltered: filters.length > 0 });
  const chunkBytes = index.chunks.reduce((all, length) => all * length, bytesPerValue);
  let blocks: StoredBlock[] = [];
  if (index.tree !== undefined) blocks = await new ChunkIndex(source, base, index.chunks).blocks(index.tree);
  else if (index.single !== undefined)
    blocks = [{ index: shape.map(() => 0), offset: base + index.single, length: index.length ?? chunkBytes }];
  const within = blocks.filter((one) => one.index.every((n, d) => n * index.chunks[d]! < shape[d]!));
  return { chunks: index.chunks, bigEndian, filters, blocks: within };
}

interface Indexed {
  readonly chunks: readonly number[];
  /** Address of the B-tree of the chunks. */
  readonly tree?: number | undefined;
  /** Address and bytes of the only chunk. */
  readonly single?: number | undefined;
  readonly length?: number;
}

/** Version 3: chunks stand in a B-tree; the last of the lengths is that of a value. */
function treeOf(bytes: Buffer, rank: number): Indexed {
  if (bytes[2] !== rank + 1) throw new FormatError(`Its chunks have ${bytes[2]! - 1} dimensions instead of ${rank}.`);
  const chunks = Array.from({ length: rank }, (_, d) => bytes.readUInt32LE(11 + 4 * d));
  return { chunks, tree: addressAt(bytes, 3) };
}

/** Version 4: of its kinds of indices only that of a single chunk has no structure of its own. */
function singleChunk(bytes: Buffer, { rank, isFiltered }: { rank: number; isFiltered: boolean }): Indexed {
  const [flags, dimensions, width] = [bytes[2]!, bytes[3]!, bytes[4]!];
  if (dimensions !== rank + 1)
    throw new FormatError(`Its chunks have ${dimensions - 1} dimensions instead of ${rank}.`);
  if (width < 1 || width > 6) throw new FormatError(`Lengths of its chunks have ${width} bytes.`);
  const chunks = Array.from({ length: rank }, (_, d) => bytes.readUIntLE(5 + width * d, width));
  const at = 5 + width * dimensions;
  if (bytes[at] !== 1) throw new FormatError('Its chunks have an index of HDF5 1.10, which references do not cover.');
  if (!isFiltered || (flags & 2) === 0) return { chunks, single: addressAt(bytes, at + 1) };
  if (bytes.readUInt32LE(at + 9) !== 0) throw skipsFilters();
  return { chunks, single: addressAt(bytes, at + 13), length: addressAt(bytes, at + 1)! };
}

const filterNames: Readonly<Record<number, string>> = {
  1: 'deflate',
  2: 'shuffle',
  3: 'fletcher32',
  4: 'szip',
  32001: 'blosc',
  32015: 'zstd',
};

/** The filters as codecs of Zarr 2. */
function filtersOf(bytes: Buffer | undefined, bytesPerValue: number): StoredFilter[] {
  if (bytes === undefined) return [];
  const version = bytes[0];
  const filters: StoredFilter[] = [];
  let at = version === 1 ? 8 : 2;
  for (let n = 0; n < bytes[1]!; n++) {
    const id = bytes.readUInt16LE(at);
    const isNamed = version === 1 || id >= 256;
    const nameLength = isNamed ? bytes.readUInt16LE(at + 2) : 0;
    at += isNamed ? 4 : 2;
    const count = bytes.readUInt16LE(at + 2);
    at += 4 + (version === 1 ? Math.ceil(nameLength / 8) * 8 : nameLength);
    const [value = 0] = Array.from({ length: count }, (_, k) => bytes.readUInt32LE(at + 4 * k));
    at += 4 * count + (version === 1 && count % 2 === 1 ? 4 : 0);
    filters.push(filterOf(id, value, bytesPerValue));
  }
  return filters;
}

function filterOf(id: number, value: number, bytesPerValue: number): StoredFilter {
  switch (id) {
    case 1:
      return { id: 'zlib', level: value };
    case 2:
      return { id: 'shuffle', elementsize: value || bytesPerValue };
    case 3:
      return { id: 'fletcher32' };
    case 32015:
      return { id: 'zstd', level: value };
    default:
      throw new FormatError(`Its filter ${filterNames[id] ?? id} is none of deflate, shuffle, fletcher32 and zstd.`);
  }
}
