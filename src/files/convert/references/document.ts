import { product } from '../../data/hyperslab.ts';
import { ConversionError } from '../../errors.ts';
import type { Attributes } from '../../formats/io/store/array-spec.ts';
import type { StoredBlock, StoredFilter } from '../../formats/io/stored-layout.ts';

/** A chunk whose bytes stand in the document. */
export interface InlineBlock {
  readonly index: readonly number[];
  readonly bytes: Uint8Array;
}

/** An array of Zarr 2. */
export interface ReferencedArray {
  /** Path from the root. */
  readonly path: string;
  /** Type as NumPy writes it, such as `<f4`. */
  readonly type: string;
  readonly dimensions: readonly (string | undefined)[];
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** Value without data. Absent: all values are data. */
  readonly fill?: number | bigint | undefined;
  readonly filters?: readonly StoredFilter[];
  readonly attributes: Attributes;
  readonly blocks: Iterable<StoredBlock | InlineBlock>;
}

/** The content of a file as arrays of Zarr whose chunks are ranges of its bytes. */
export interface References {
  /** Attributes by path of the group; `''` is the root. */
  readonly groups: ReadonlyMap<string, Attributes>;
  readonly arrays: readonly ReferencedArray[];
  /** Names of the arrays that cannot be read by ranges, and were left out. */
  readonly compressed: readonly string[];
}

/** The file that references point to. */
export interface ReferencedFile {
  /** A URL that answers ranges, or a path. */
  readonly address: string;
  /** Until when the address is valid. */
  readonly expires?: Date | undefined;
}

/** Chunks of a document, which has about 200 bytes for each. */
const mostBlocks = 1_000_000;
/** Bytes of values that stand in a document. */
const mostInline = 1 << 26;

/** Number of chunks of an array, also of those that the file does not have. */
export const countChunks = ({ shape, chunks }: Pick<ReferencedArray, 'shape' | 'chunks'>): number =>
  product(shape.map((length, d) => Math.ceil(length / chunks[d]!)));

/** @throws ConversionError for more chunks than a document has room for */
export function checkChunks(blocks: number): void {
  if (blocks <= mostBlocks) return;
  throw new ConversionError(
    `The file has ${blocks} chunks (items × steps). A reference document has at most ${mostBlocks}. Convert the file to Zarr with MDWriter.`,
  );
}

/** @throws ConversionError for a document that would be too large */
export function checkSize({ arrays }: References): void {
  let blocks = 0;
  let inline = 0;
  for (const array of arrays) {
    blocks += countChunks(array);
    if (Array.isArray(array.blocks)) for (const one of array.blocks) inline += 'bytes' in one ? one.bytes.length : 0;
  }
  checkChunks(blocks);
  checkInline(inline);
}

/** @throws ConversionError for more bytes of coordinates than a document has room for */
export function checkInline(bytes: number): void {
  if (bytes <= mostInline) return;
  throw new ConversionError(
    `The coordinates have ${bytes} bytes. A reference document holds at most ${mostInline}. Convert the file to Zarr with MDWriter.`,
  );
}

/** Characters of a piece. */
const pieceLength = 1 << 16;

/** The text of a reference document of kerchunk, version 1, in pieces. */
export function* documentPieces(references: References, { address, expires }: ReferencedFile): Generator<string> {
  const { groups, arrays, compressed } = references;
  let piece = '{"version":1,"refs":{';
  let first = true;
  const add = (key: string, value: string) => {
    piece += `${first ? '' : ','}${JSON.stringify(key)}:${value}`;
    first = false;
  };
  const addText = (key: string, value: unknown) => add(key, JSON.stringify(zarrJson(value)));
  for (const [path, attributes] of groups) {
    const isRoot = path === '';
    addText(keyOf(path, '.zgroup'), { zarr_format: 2 });
    addText(keyOf(path, '.zattrs'), {
      ...attributes,
      ...(isRoot && compressed.length > 0 ? { compressed } : {}),
      ...(isRoot && expires !== undefined ? { expires: `${expires.toISOString().slice(0, 19)}Z` } : {}),
    });
  }
  const target = JSON.stringify(address);
  for (const array of arrays) {
    addText(keyOf(array.path, '.zarray'), metadataOf(array));
    const dimensions = array.dimensions.map((name, n) => name ?? `dim_${n}`);
    addText(keyOf(array.path, '.zattrs'), { ...array.attributes, _ARRAY_DIMENSIONS: dimensions });
    for (const block of array.blocks) {
      const key = keyOf(array.path, block.index.length === 0 ? '0' : block.index.join('.'));
      if ('bytes' in block) add(key, `"base64:${Buffer.from(block.bytes).toString('base64')}"`);
      else add(key, `[${target},${block.offset},${block.length}]`);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  yield `${piece}}}`;
}

const keyOf = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);

const metadataOf = ({ type, shape, chunks, fill, filters = [] }: ReferencedArray) => ({
  zarr_format: 2,
  shape,
  chunks,
  dtype: type,
  compressor: null,
  filters: filters.length === 0 ? null : filters,
  fill_value: fill === undefined ? null : typeof fill === 'number' && !Number.isFinite(fill) ? String(fill) : fill,
  order: 'C',
});

/** JSON as zarr-python writes it: also with the words of numbers that are none. */
function zarrJson(value: unknown): string {
  const text = JSON.stringify(value, (_, one) => {
    if (typeof one === 'bigint') return `\0${one}`;
    return typeof one === 'number' && !Number.isFinite(one) ? `\0${one}` : one;
  });
  return text.replace(/"\\u0000(NaN|-?Infinity|-?\d+)"/g, '$1');
}
