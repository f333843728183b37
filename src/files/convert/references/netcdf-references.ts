import { product } from '../../data/hyperslab.ts';
import { bytesPerValue } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import type { Attributes } from '../../formats/io/store/array-spec.ts';
import {
  defaultFill,
  type NetCdfFile,
  type NetCdfGroup,
  type StoredVariable,
  type TextVariable,
} from '../../formats/netcdf/netcdf-file.ts';
import { inlineBlock, numpyType } from './array-type.ts';
import { checkChunks, countChunks, type ReferencedArray, type References } from './document.ts';

/** Bytes of an array that stands in the document instead of having a chunk, and so a request, for each record. */
const mostInlineBytes = 1 << 16;

/** The variables of a NetCDF file with its own attributes. */
export async function netCdfReferences(file: NetCdfFile): Promise<References> {
  const groups = new Map<string, Attributes>([['', {}]]);
  const arrays: ReferencedArray[] = [];
  const compressed: string[] = [];
  for (const group of file) {
    const path = group.path.replace(/^\//, '');
    groups.set(path, group.attributes);
    const within = (name: string) => (path === '' ? name : `${path}/${name}`);
    compressed.push(...[...group.unreadable.keys()].map(within));
    await addGroup(group, { within, arrays, compressed });
  }
  return { groups, arrays, compressed };
}

async function addGroup(
  { variables, texts }: NetCdfGroup,
  { within, arrays, compressed }: { within(name: string): string; arrays: ReferencedArray[]; compressed: string[] },
): Promise<void> {
  for (const [name, variable] of variables)
    try {
      arrays.push(await numbersOf(variable, within(name)));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      compressed.push(within(name));
    }
  for (const [name, text] of texts) {
    const found = await textsOf(text, within(name));
    if (found === undefined) compressed.push(within(name));
    else arrays.push(found);
  }
}

async function numbersOf(variable: StoredVariable, path: string): Promise<ReferencedArray> {
  const { type, shape, dimensions } = variable.metadata;
  const { _FillValue, ...attributes } = variable.ownAttributes;
  const size = product(shape) * bytesPerValue(type);
  const layout = await variable.layout();
  const array = { path, dimensions, shape, attributes };
  const fill = _FillValue as number | bigint | undefined;
  if (size <= mostInlineBytes && size > 0 && product(layout.chunks) < product(shape))
    return {
      ...array,
      type: numpyType(type),
      fill,
      chunks: shape,
      blocks: [inlineBlock(await variable.all(), shape.length)],
    };
  const chunkCount = countChunks({ shape, chunks: layout.chunks });
  checkChunks(chunkCount);
  const blocks = [...layout.blocks];
  return {
    ...array,
    type: numpyType(type, layout.bigEndian),
    // Chunks that were never written hold the fill value of the library.
    fill: fill ?? (shape.length > 0 && blocks.length < chunkCount ? defaultFill(type) : undefined),
    chunks: layout.chunks,
    filters: layout.filters,
    blocks,
  };
}

/** Texts stand in the document, as the codec `vlen-utf8` has them; undefined for long ones. */
async function textsOf(text: TextVariable, path: string): Promise<ReferencedArray | undefined> {
  const { dimensions, shape, attributes } = text;
  if (product(shape) > mostInlineBytes / 4) return undefined;
  const texts = (await text.all()).map((one) => Buffer.from(one));
  if (texts.reduce((sum, { length }) => sum + length, 0) > mostInlineBytes) return undefined;
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const bytes = Buffer.concat([u32(texts.length), ...texts.flatMap((one) => [u32(one.length), one])]);
  const { _FillValue: _, ...kept } = attributes;
  return {
    path,
    type: '|O',
    dimensions,
    shape,
    chunks: shape.map((length) => Math.max(1, length)),
    filters: [{ id: 'vlen-utf8' }],
    attributes: kept,
    blocks: texts.length === 0 ? [] : [{ index: shape.map(() => 0), bytes }],
  };
}
