import { type Grid, layersOf } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import type { Series } from '../../data/series.ts';
import { bytesPerValue, newValues } from '../../data/stored-values.ts';
import { MILLISECONDS, stepCount, type TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import type { DfsFile } from '../../formats/io/dfs/dfs-file.ts';
import { contentOf } from '../../formats/io/dfs/origin.ts';
import { offsetOfArray } from '../../formats/io/dfs/typed-array.ts';
import type { ArraySpec, Attributes } from '../../formats/io/store/array-spec.ts';
import { clockArrays, type StoreContent, type WholeArray } from '../../formats/io/store/content.ts';
import { netCdfNaming } from '../../formats/io/store/naming.ts';
import { layoutInOnePiece, type StoredBlock } from '../../formats/io/stored-layout.ts';
import { contentFor } from '../../formats/netcdf/write/content.ts';
import { seriesContent } from '../../formats/netcdf/write/series.ts';
import { inlineBlock, numpyType } from './array-type.ts';
import { checkInline, type ReferencedArray, type References } from './document.ts';

/** Values of a DFS0 file stand in the document, because a reference to a step is longer than its values. */
const mostSeriesBytes = 1 << 20;
/** Coordinates of more bytes are references where the file holds them as they are. */
const mostInlineBytes = 1 << 16;

/** Items of a DFS file, a chunk for each step. Compressed items are left out. */
export async function dfsReferences(data: Grid | Mesh | MultiArray): Promise<References> {
  const { file } = contentOf(data)!;
  // a header alone says how many columns and rows there are, so they are counted before they are listed
  if (data.kind === 'grid') checkInline(8 * (data.width + data.height + layersOf(data)));
  const content = await contentFor(inSeconds(data), {});
  const { items, compressed } = file.header;
  const blocks = data.kind === 'mesh' ? geometryBlocks(file) : new Map<string, GeometryBlock>();
  return {
    groups: new Map([['', rootAttributes(content)]]),
    arrays: [
      ...coordinateArrays(content, blocks),
      ...(compressed ? [] : content.items.map(({ spec }, n) => itemArray(file, spec, n))),
    ],
    compressed: compressed ? items.map(({ name }) => name) : [],
  };
}

/** @throws ConversionError for more than a megabyte of values */
export async function seriesReferences(series: Series, context: Context): Promise<References> {
  const { time } = series;
  const steps = time.spacing === 'pulled' ? 0 : stepCount(time);
  const content = await seriesContent(inSeconds(series), context);
  const bytes = content.items.reduce((all, { spec }) => all + steps * bytesPerValue(spec.type), 0);
  if (bytes > mostSeriesBytes)
    throw new ConversionError(
      `References of time series hold the values themselves, up to ${mostSeriesBytes} bytes; these are ${bytes}. Download the file, or convert it to NetCDF or Zarr.`,
    );
  const columns = content.items.map(({ spec }) => newValues(spec.type, steps));
  for await (const { firstStep, values } of series.chunks())
    for (const [n, column] of columns.entries()) column.set(values[n]! as never, firstStep);
  return {
    groups: new Map([['', rootAttributes(content)]]),
    arrays: [
      ...coordinateArrays(content, new Map()),
      ...content.items.map(({ spec }, n) => ({
        ...arrayOf(spec),
        chunks: [Math.max(1, steps)],
        blocks: steps === 0 ? [] : [inlineBlock(columns[n]!, 1)],
      })),
    ],
    compressed: [],
  };
}

/** Times as seconds. */
function inSeconds<D extends { readonly time?: TimeAxis | Series['time'] }>(data: D): D {
  const { time } = data;
  if (time === undefined || time.spacing === 'pulled') return data;
  const factor = MILLISECONDS[time.unit] / 1000;
  const seconds: TimeAxis =
    time.spacing === 'equidistant'
      ? { ...time, unit: 'second', offset: time.offset * factor, interval: time.interval * factor }
      : { ...time, unit: 'second', offsets: time.offsets.map((offset) => offset * factor) };
  return { ...data, time: seconds };
}

/** Attributes of the file without those of a NetCDF file that was written. */
function rootAttributes({ attributes }: StoreContent): Attributes {
  const { _NCProperties: _, history: __, ...kept } = attributes;
  return kept;
}

function arrayOf({
  name,
  type,
  dimensions,
  shape,
  attributes,
  fill,
}: ArraySpec): Omit<ReferencedArray, 'chunks' | 'blocks'> {
  const { _FillValue, ...kept } = attributes;
  return {
    path: name,
    type: numpyType(type),
    dimensions,
    shape,
    attributes: kept,
    ...(_FillValue === undefined ? {} : { fill }),
  };
}

function coordinateArrays(content: StoreContent, blocks: ReadonlyMap<string, GeometryBlock>): ReferencedArray[] {
  return [
    ...content.scalars.map((spec) => ({ ...arrayOf(spec), chunks: [], blocks: [] })),
    ...[...clockArrays(content), ...content.wholes].map((whole) => coordinateArray(whole, blocks)),
  ];
}

function coordinateArray({ spec, values }: WholeArray, blocks: ReadonlyMap<string, GeometryBlock>): ReferencedArray {
  const stored = values.byteLength > mostInlineBytes ? blocks.get(spec.name) : undefined;
  if (stored !== undefined && stored.count === values.length) {
    const { type, offset } = stored;
    const { chunks, blocks: found } = layoutInOnePiece(spec.shape, { offset, bytesPerValue: bytesPerValue(type) });
    return { ...arrayOf({ ...spec, type }), chunks, blocks: found };
  }
  const chunks = spec.shape.map((length) => Math.max(1, length));
  return { ...arrayOf(spec), chunks, blocks: values.length === 0 ? [] : [inlineBlock(values, chunks.length)] };
}

/** An array of the geometry of a mesh as the file holds it. */
interface GeometryBlock {
  readonly type: ArraySpec['type'];
  readonly count: number;
  readonly offset: number;
}

const { mesh } = netCdfNaming;
/** Arrays of a mesh by the number of the static item that holds them; nodes of cells count from 1 there, too. */
const staticArrays: readonly (string | undefined)[] = [
  mesh.nodeIds,
  mesh.x,
  mesh.y,
  mesh.z,
  mesh.codes,
  mesh.cellIds,
  undefined,
  undefined,
  mesh.padded,
];

/** If all cells have the same number of nodes, the table of nodes is that of the file. */
function geometryBlocks({ header }: DfsFile): Map<string, GeometryBlock> {
  const blocks = new Map<string, GeometryBlock>();
  for (const [n, name] of staticArrays.entries()) {
    const values = header.statics[n]?.values;
    const offset = values && offsetOfArray(values);
    if (name !== undefined && offset !== undefined)
      blocks.set(name, { type: values!.type, count: values!.count, offset });
  }
  return blocks;
}

/** An item of the file, which has the same number among the items of the content. */
function itemArray(file: DfsFile, spec: ArraySpec, n: number): ReferencedArray {
  const { deleteValues, items } = file.header;
  const length = file.storedCount(n) * bytesPerValue(spec.type);
  const [, ...within] = spec.shape;
  // Some programs write the Float32 delete value into Float64 items.
  const other =
    items[n]!.type === 'Float64' &&
    deleteValues.Float32 !== deleteValues.Float64 &&
    spec.attributes._FillValue !== undefined
      ? { missing_value: deleteValues.Float32 }
      : {};
  function* blocks(): Generator<StoredBlock> {
    if (length === 0) return;
    for (let step = 0; step < file.steps; step++)
      yield { index: [step, ...within.map(() => 0)], offset: file.offsetOf(n, step), length };
  }
  const array = arrayOf(spec);
  return {
    ...array,
    attributes: { ...array.attributes, ...other },
    chunks: [1, ...within.map((count) => Math.max(1, count))],
    blocks: blocks(),
  };
}
