import { defined } from '../../../data/defined.ts';
import { indicesOf, product } from '../../../data/hyperslab.ts';
import type { ArrayItem, MultiArray } from '../../../data/multi-array.ts';
import { contentOf, storedAxisOf, storedPlaceOf } from '../dfs/origin.ts';
import { AxisArrays } from './axes.ts';
import { type ItemArray, itemShape, type StoreContent, type WholeArray, wholeArray } from './content.ts';
import { CRS, crsArray, known } from './crs.ts';
import { ATTRIBUTE } from './description.ts';
import { ArrayNames, describedItem, itemAttributes, storedItem } from './items.ts';
import type { StoreNaming } from './naming.ts';
import { sourceOf, titleAttribute } from './source-file.ts';
import { describedTime, TIME } from './time.ts';

/** Corners of curvilinear cells. */
export const cornerArrays = { x: 'corner_x', y: 'corner_y', z: 'corner_z' } as const;

/** Values that are read at a time. */
const blockValues = 1 << 18;

/** A multidimensional array as arrays over time and its axes. */
export async function arrayContent(array: MultiArray, naming: StoreNaming): Promise<StoreContent> {
  const { crs, axes, placement, items, time } = array;
  const system = await known(crs);
  const names = new ArrayNames([CRS, TIME, ...Object.values(cornerArrays)], naming);
  const variables = new AxisArrays(names);
  const described = axes.map((axis) => variables.add(axis));
  const arrays = items.map((item, n) => names.claim(item.name ?? `Item ${n + 1}`));
  const source = sourceOf(array);
  const description = defined({
    version: 1,
    kind: 'array',
    dfs: dfsOf(array),
    source,
    crs,
    axes: described,
    placement:
      placement === undefined || placement.by === 'affine'
        ? placement
        : defined({ by: 'nodes', x: placement.x, y: placement.y, z: placement.space?.z }),
    time: time && describedTime(time),
    items: items.map((item, n) => ({
      ...describedItem(item, arrays[n]!),
      axes: item.axes,
      overTime: item.overTime,
    })),
  });
  return {
    attributes: { Conventions: 'CF-1.11', ...titleAttribute(source), [ATTRIBUTE]: description },
    time,
    scalars: system === undefined ? [] : [crsArray(system, placement?.by === 'affine' ? placement.affine : undefined)],
    wholes: [...variables.wholes, ...corners(array)],
    items: items.map((item, n) => {
      const dimensions = item.axes.map((axis) => described[axis]!.array);
      return itemArray(array, item, n, { name: arrays[n]!, dimensions, mapped: system !== undefined });
    }),
  };
}

/** Projection and axes of the DFS file that the array was read from, as far as it still has them. */
function dfsOf(array: MultiArray) {
  const { crs, axes } = array;
  const stored = storedPlaceOf(array);
  const from = contentOf(array);
  const projection = stored?.projection ?? (from?.crs === crs ? from?.file.header.projection : undefined);
  if (projection === undefined) return undefined;
  const known =
    from === undefined
      ? stored?.axes?.filter(({ numbers }) => storedAxisOf(array, numbers) !== undefined)
      : from.readAxes?.axes === axes
        ? from.readAxes.known.map(({ axis: { unit, spacing }, numbers }) => ({ unit, spacing, numbers }))
        : undefined;
  return { projection, ...(known === undefined ? {} : { axes: known }) };
}

function corners({ placement, axes }: MultiArray): WholeArray[] {
  if (placement?.by !== 'nodes') return [];
  const { x, y, nodeX, nodeY, space } = placement;
  const numbers = space === undefined ? [y, x] : [space.z, y, x];
  const shape = numbers.map((axis) => axes[axis]!.values.length + 1);
  const dimensions = ['corner_level', 'corner_row', 'corner_column'].slice(-numbers.length);
  const of = (name: string, values: Float64Array) => wholeArray(name, 'Float64', values, { dimensions, shape });
  return [
    of(cornerArrays.x, nodeX),
    of(cornerArrays.y, nodeY),
    ...(space === undefined ? [] : [of(cornerArrays.z, space.nodeZ)]),
  ];
}

function itemArray(
  array: MultiArray,
  item: ArrayItem,
  n: number,
  { name, dimensions, mapped }: { name: string; dimensions: readonly string[]; mapped: boolean },
): ItemArray {
  const { time, axes } = array;
  const { type, fill } = storedItem(item);
  const timed = item.overTime && time !== undefined;
  const lengths = item.axes.map((axis) => axes[axis]!.values.length);
  return {
    spec: {
      name,
      ...itemShape(timed ? time : undefined, type, dimensions, lengths),
      fill,
      attributes: { ...itemAttributes(item, type, fill), ...(mapped ? { grid_mapping: CRS } : {}) },
    },
    timed,
    async *values(step) {
      for (const { start, shape } of slabs(lengths)) yield await array.read(n, step, start, shape);
    },
  };
}

/** Blocks of consecutive values that cover an array in order. */
function* slabs(lengths: readonly number[]): Generator<{ start: number[]; shape: number[] }> {
  if (lengths.length === 0) yield { start: [], shape: [] };
  if (lengths.length === 0 || product(lengths) === 0) return;
  let cut = 0;
  while (cut < lengths.length - 1 && product(lengths.slice(cut + 1)) > blockValues) cut++;
  const rest = lengths.slice(cut + 1);
  const most = Math.max(1, Math.floor(blockValues / product(rest)));
  for (const before of indicesOf(lengths.slice(0, cut)))
    for (let first = 0; first < lengths[cut]!; first += most)
      yield {
        start: [...before, first, ...rest.map(() => 0)],
        shape: [...before.map(() => 1), Math.min(most, lengths[cut]! - first), ...rest],
      };
}
