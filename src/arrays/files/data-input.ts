import type { Grid, MultiArray } from 'hydrofiles/data';
import type { PreparedFile } from '../../datasets/files/file-threads.ts';
import { invalidMember } from '../../errors.ts';
import type { Coverage } from '../coverage.ts';
import type { OpenDataset } from '../stores.ts';
import { meshInput } from './mesh-input.ts';
import { placesInput } from './places-input.ts';
import { type DataInput, timeOfAnswer } from './stored-data.ts';
import { movable, ownMemory } from './table-input.ts';

/** Values of an answer as data: the cells of a grid or array, a part of a mesh, or places. */
export function dataInput(dataset: OpenDataset, coverages: readonly Coverage[]): PreparedFile<DataInput> {
  if (coverages.length === 0) throw invalidMember('item', 'The dataset has no items, so there is nothing to write.');
  const input = dataOf(dataset, coverages);
  const values = coverages
    .flatMap(({ ranges }) => ranges)
    .map(({ variable: { id, array }, values: own }) => ({ name: id, values: ownMemory(array.metadata.type, own) }));
  return { input: { lost: [], ...input, values }, transfer: movable(values.map((one) => one.values)) };
}

function dataOf(
  dataset: OpenDataset,
  coverages: readonly Coverage[],
): Pick<DataInput, 'data'> & Partial<Pick<DataInput, 'chosen' | 'lost'>> {
  const { data } = dataset;
  const ranges = coverages.flatMap((coverage) => coverage.ranges);
  const [first] = coverages as [Coverage];
  const isPart = first.selection.kept !== undefined && first.selection.kept.length < windowSize(first);
  if (first.shape === 'place' || first.selection.isList || (isPart && first.shape === 'points'))
    return placesInput(dataset, coverages);
  if (data.kind === 'mesh') return meshInput(dataset, coverages) ?? placesInput(dataset, coverages);
  const time = timeOfAnswer(dataset, coverages);
  const crs = data.crs === undefined ? {} : { crs: data.crs };
  if (data.kind === 'grid') {
    const { layers, located, affine } = data;
    const before = first.selection.indices.slice(0, -2)[0] as { first: number; length: number } | undefined;
    const [rows, columns] = windowOf(first);
    return {
      data: {
        kind: 'grid',
        width: columns.length,
        height: rows.length,
        affine: shifted(affine, columns.first, rows.first),
        ...(located === undefined ? {} : { located }),
        ...crs,
        bands: ranges.map(({ variable }) => ({ ...variable.item })),
        ...time,
        ...(layers === undefined
          ? {}
          : {
              layers: {
                ...layers,
                count: before?.length ?? layers.count,
                first: layers.first + (before?.first ?? 0) * layers.spacing,
              },
            }),
      },
    };
  }
  return { data: { ...arrayPart(data, coverages), ...crs, ...time } };
}

const windowOf = ({ selection }: Coverage) =>
  selection.indices.slice(-2) as [{ first: number; length: number }, { first: number; length: number }];

const windowSize = (coverage: Coverage): number => windowOf(coverage).reduce((size, { length }) => size * length, 1);

const shifted = ([x, a, b, y, c, d]: Grid['affine'], column: number, row: number): Grid['affine'] => [
  x + column * a + row * b,
  a,
  b,
  y + column * c + row * d,
  c,
  d,
];

/** The chosen indices of each axis of an array, and items over them. */
function arrayPart(
  { axes, placement }: MultiArray,
  coverages: readonly Coverage[],
): Pick<MultiArray, 'kind' | 'axes' | 'items' | 'placement'> {
  const chosen = new Map<number, { first: number; length: number }>();
  const items = coverages.flatMap(({ ranges, selection }) =>
    ranges.map(({ variable }) => {
      const item = variable.item as MultiArray['items'][number];
      for (const [d, axis] of item.axes.entries())
        chosen.set(axis, selection.indices[d] as { first: number; length: number });
      return { ...item, overTime: variable.timed };
    }),
  );
  const isPlaced = placement !== undefined && chosen.has(placement.x) && chosen.has(placement.y);
  return {
    kind: 'array',
    axes: axes.map((axis, n) => {
      const { first, length } = chosen.get(n) ?? { first: 0, length: axis.values.length };
      return {
        ...axis,
        values: axis.values.slice(first, first + length),
        ...(axis.edges === undefined ? {} : { edges: axis.edges.slice(first, first + length + 1) }),
      };
    }),
    items,
    ...(isPlaced ? { placement: placementPart(placement, axes, chosen) } : {}),
  };
}

function placementPart(
  placement: NonNullable<MultiArray['placement']>,
  axes: MultiArray['axes'],
  chosen: ReadonlyMap<number, { first: number; length: number }>,
): NonNullable<MultiArray['placement']> {
  const [columns, rows] = [chosen.get(placement.x)!, chosen.get(placement.y)!];
  if (placement.by === 'affine') return { ...placement, affine: shifted(placement.affine, columns.first, rows.first) };
  const { space, nodeX, nodeY, ...rest } = placement;
  const levels =
    space === undefined ? undefined : (chosen.get(space.z) ?? { first: 0, length: axes[space.z]!.values.length });
  const [width, height] = [axes[placement.x]!.values.length + 1, axes[placement.y]!.values.length + 1];
  const part = (nodes: Float64Array): Float64Array => {
    const [first, count] = levels === undefined ? [0, 1] : [levels.first, levels.length + 1];
    const kept = new Float64Array(count * (rows.length + 1) * (columns.length + 1));
    for (let level = 0, at = 0; level < count; level++)
      for (let row = 0; row <= rows.length; row++, at += columns.length + 1) {
        const from = ((first + level) * height + rows.first + row) * width + columns.first;
        kept.set(nodes.subarray(from, from + columns.length + 1), at);
      }
    return kept;
  };
  return {
    ...rest,
    nodeX: part(nodeX),
    nodeY: part(nodeY),
    ...(space === undefined ? {} : { space: { z: space.z, nodeZ: part(space.nodeZ) } }),
  };
}
