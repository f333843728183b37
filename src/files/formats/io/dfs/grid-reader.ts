import type { Band, Grid, LayerAxis, RowBlock, RowRange, Slice } from '../../../data/grid.ts';
import type { Samples } from '../../../data/item.ts';
import type { MultiArray } from '../../../data/multi-array.ts';
import { sampleArrays } from '../../../data/samples.ts';
import { FormatError } from '../../../errors.ts';
import { parseSrid } from '../../../geo/crs/crs.ts';
import type { Context } from '../../define.ts';
import { areSpectra, isEquidistant } from './array-axes.ts';
import { readArray } from './array-reader.ts';
import { isAlike } from './axes.ts';
import type { DfsFile } from './dfs-file.ts';
import { EncodingKeys } from './encoding-keys.ts';
import { type Interpretation, placeOfGrid } from './grid-place.ts';
import { itemOf } from './items.ts';
import type { OpenedDfs } from './open.ts';
import { DfsContent, dfsOrigin } from './origin.ts';
import { identifiedCrs } from './projection.ts';

/** Size of a block of rows: about a megabyte. */
const blockBytes = 1 << 20;
/** Maximum number of columns, because whole rows are held in memory. */
const maxColumns = 10_000_000;

type Cells = Pick<Grid, 'width' | 'height' | 'bands' | 'rows'> & {
  read: NonNullable<Grid['read']>;
  time: NonNullable<Grid['time']>;
  layers?: LayerAxis;
};

/** Whether the items share one equidistant axis with this number of dimensions, and are not spectra. */
export const isGrid = (file: DfsFile, items: readonly number[], dimensions: number): boolean => {
  const [first, ...others] = items.map((n) => file.header.items[n]!.axis);
  if (first?.counts.length !== dimensions) return false;
  return isEquidistant(first) && others.every((axis) => isAlike(axis, first)) && !areSpectra(file, items);
};

/** The items of a file as bands of a grid. Rows are in the order of the file, which begins in the south. */
export async function openCells(file: DfsFile, items: readonly number[]): Promise<Cells> {
  const { header } = file;
  const { counts, spacing } = header.items[items[0]!]!.axis;
  const [width = 0, height = 1, depth] = counts;
  if (width < 1 || height < 1 || depth === 0)
    throw new FormatError(`The grid has ${counts.join(' × ')} cells.`, file.dataStart);
  if (width > maxColumns)
    throw new FormatError(`The grid has ${width} columns. The maximum is ${maxColumns}.`, file.dataStart);
  const keys = header.compressed ? await EncodingKeys.read(file, counts) : undefined;
  const bands = items.map((n): Band => itemOf(header.items[n]!, header.deleteValues));
  const read = async ({ band, step, layer }: Slice, firstRow: number, rowCount: number): Promise<Samples> => {
    const first = (layer * height + firstRow) * width;
    const count = rowCount * width;
    return keys === undefined
      ? file.readItem(items[band]!, step, first, count)
      : keys.expand(file, items[band]!, step, first, count);
  };
  const rows = (slice: Slice, range?: RowRange) => rowBlocks(slice, range);
  async function* rowBlocks(slice: Slice, range: RowRange = { first: 0, end: height }): AsyncGenerator<RowBlock> {
    const rowBytes = width * sampleArrays[header.items[items[slice.band]!]!.type].BYTES_PER_ELEMENT;
    const most = Math.max(1, Math.floor(blockBytes / rowBytes));
    for (let firstRow = range.first; firstRow < range.end; firstRow += most) {
      const rowCount = Math.min(most, range.end - firstRow);
      yield { firstRow, rowCount, samples: await read(slice, firstRow, rowCount) };
    }
  }
  const layers =
    depth === undefined ? {} : { layers: { count: depth, first: spacing[2]!, spacing: spacing[5]!, unit: 'm' } };
  return { width, height, bands, time: file.time, ...layers, rows, read };
}

/**
 * Reads a grid of two or three dimensions, with the coordinate system of the file or of the request; data that are not
 * a grid become an array.
 */
export async function readGrid(
  opened: OpenedDfs,
  { SRID, interpretation }: { SRID?: string | undefined; interpretation?: Interpretation | undefined },
  context: Context,
): Promise<Grid | MultiArray> {
  const { format, file, chosen, complete } = opened;
  const { items, projection } = file.header;
  const own = await identifiedCrs(projection);
  const requestedCrs = SRID === undefined ? undefined : parseSrid(SRID);
  if (!isGrid(file, chosen, Number(format[3]))) return readArray(opened, { own, requested: requestedCrs }, context);
  const cells = await openCells(file, chosen);
  const crs = requestedCrs ?? own;
  // local coordinates are not transformed: a requested system is assigned to them
  const placed = await placeOfGrid(
    items[chosen[0]!]!.axis,
    projection,
    own === undefined ? undefined : crs,
    interpretation,
  );
  const place = { ...placed, ...(crs && { crs }) };
  const { width, height, layers } = cells;
  const asRead = interpretation === undefined && crs === own;
  const levels = layers === undefined ? {} : { layers: layers.count, firstLayer: layers.first };
  const content = new DfsContent(file, own, asRead ? { affine: place.affine, width, height, ...levels } : undefined);
  return { kind: 'grid', ...place, ...cells, origin: dfsOrigin(format, content, complete && asRead) };
}
