import type { Mesh } from '../../../../data/mesh.ts';
import { componentCount } from '../../../../data/mesh-cells.ts';
import { isFloat, sampleTypeOf } from '../../../../data/samples.ts';
import { newValues, type StoredType, type StoredValues } from '../../../../data/stored-values.ts';
import { stepsOf } from '../../../../data/time-axis.ts';
import type { ArraySpec } from '../../../io/store/array-spec.ts';
import {
  type ItemArray,
  itemShape,
  type StoreContent,
  type WholeArray,
  wholeArray,
} from '../../../io/store/content.ts';
import { ATTRIBUTE } from '../../../io/store/description.ts';
import { storedItem } from '../../../io/store/items.ts';
import { stackNames as names, netCdfNaming } from '../../../io/store/naming.ts';
import { depthArray, surfaceArray } from './formula-terms.ts';
import { cellsAt, extremeNodes, NO_NODE, type Stack } from './stack.ts';
import { verticalCoordinates } from './vertical-coordinates.ts';

/**
 * A layered mesh as a topology of two dimensions, with the layers as a dimension of the items: `[time, (components,)
 * face, layer]`, and of items at nodes `[time, node, interface]`. Places without a cell or node have the fill value.
 * @param content the arrays of the plane of the mesh
 */
export async function stackedContent(content: StoreContent, mesh: Mesh, stack: Stack): Promise<StoreContent> {
  const { layers } = stack;
  const { topology, node, cell } = netCdfNaming.mesh;
  const { columns, nodeAt } = stack;
  const [faces, plane] = [columns.length - 1, nodeAt.length / (layers + 1)];
  const cellAt = cellsAt(stack);
  const vertical = verticalCoordinates(mesh, stack);
  const hasSigma = vertical.some(({ spec }) => spec.name === names.layerSigma);
  const height = vertical.find(({ spec }) => spec.dimensions[0] === names.layer)?.spec.name;
  const ofNodes = { dimensions: [node, names.interface], lengths: [plane, layers + 1], at: nodeAt };
  const ofCells = { dimensions: [cell, names.layer], lengths: [faces, layers], at: cellAt };
  const description = content.attributes[ATTRIBUTE] as Record<string, unknown>;
  return {
    ...content,
    attributes: {
      ...content.attributes,
      [ATTRIBUTE]: {
        ...description,
        stacked: true,
        layers: { maximum: mesh.layers!.maximum, sigma: mesh.layers!.sigma },
      },
    },
    scalars: content.scalars.map((spec) =>
      spec.name === topology
        ? {
            ...spec,
            attributes: {
              ...spec.attributes,
              layer_dimension: names.layer,
              interface_dimension: names.interface,
              vertical_dimensions: `${names.layer}: ${names.interface} (padding: none)`,
            },
          }
        : spec,
    ),
    wholes: [
      ...content.wholes,
      ...geometry(mesh, stack, { ofNodes, ofCells }),
      ...vertical,
      ...(hasSigma ? [depthArray(mesh, stack)] : []),
    ],
    items: [
      ...(await movingHeights(mesh, ofNodes)),
      ...(hasSigma ? [surfaceArray(mesh, stack)] : []),
      ...content.items.map(({ spec }, n) => {
        const places = mesh.items[n]!.location === 'node' ? ofNodes : ofCells;
        return stackedItem(mesh, n, { spec, places, height });
      }),
    ],
  };
}

/** Places of the plane and layers, and the node or cell at each. */
interface Places {
  readonly dimensions: string[];
  readonly lengths: number[];
  readonly at: Int32Array;
}

function scattered(values: StoredValues, at: Int32Array, type: StoredType, fill: number | bigint): StoredValues {
  const placed = newValues(type, at.length).fill(fill as never);
  for (let place = 0; place < at.length; place++)
    if (at[place] !== NO_NODE) placed[place] = values[at[place]!] as never;
  return placed;
}

function geometry(mesh: Mesh, stack: Stack, { ofNodes, ofCells }: { ofNodes: Places; ofCells: Places }): WholeArray[] {
  const placed = (
    name: string,
    type: 'Int32' | 'Float64',
    fill: number,
    of: StoredValues,
    on: Places,
    attributes = {},
  ) => {
    const values = scattered(of, on.at, type, fill);
    const known = { ...attributes, _FillValue: fill };
    const { spec } = wholeArray(name, type, values, {
      dimensions: on.dimensions,
      shape: on.lengths,
      attributes: known,
    });
    return { spec: { ...spec, fill }, values };
  };
  const { nodeCodes, nodeIds, cellIds, nodes } = mesh;
  const z = Float64Array.from({ length: nodes.length / 3 }, (_, n) => nodes[3 * n + 2]!);
  const numbers = Int32Array.from(z, (_, n) => n + 1);
  const counts = Int32Array.from({ length: ofCells.lengths[0]! }, (_, n) => stack.columns[n + 1]! - stack.columns[n]!);
  const interfaces = stack.layers + 1;
  const lowest = extremeNodes(stack, 'lowest');
  const differ = nodeCodes?.some((_, place) => {
    const node = ofNodes.at[place];
    return (
      node !== undefined && node !== NO_NODE && nodeCodes[node] !== nodeCodes[lowest[Math.floor(place / interfaces)]!]
    );
  });
  return [
    wholeArray(names.faceLayers, 'Int32', counts, {
      dimensions: [ofCells.dimensions[0]!],
      shape: [counts.length],
      attributes: { long_name: 'number of layers' },
    }),
    placed(names.nodeAt, 'Int32', NO_NODE, numbers, ofNodes, { long_name: 'number of the node' }),
    placed(names.z, 'Float64', Number.NaN, z, ofNodes, {
      long_name: 'height of the nodes',
      units: 'm',
      positive: 'up',
    }),
    ...(nodeCodes === undefined || !differ
      ? []
      : [placed(names.codes, 'Int32', NO_NODE, nodeCodes, ofNodes, { long_name: 'boundary code of the node' })]),
    ...(nodeIds === undefined
      ? []
      : [placed(names.nodeIds, 'Int32', NO_NODE, nodeIds, ofNodes, { long_name: 'id of the node' })]),
    ...(cellIds === undefined
      ? []
      : [placed(names.cellIds, 'Int32', NO_NODE, cellIds, ofCells, { long_name: 'id of the cell' })]),
  ];
}

/** The heights of the nodes that move. */
async function movingHeights(mesh: Mesh, { dimensions, lengths, at }: Places): Promise<ItemArray[]> {
  const { heights, time } = mesh;
  if (heights === undefined) return [];
  const type = stepsOf(mesh) === 0 ? 'Float64' : sampleTypeOf(await heights(0));
  const attributes = {
    long_name: 'height of the nodes',
    units: 'm',
    positive: 'up',
    mesh: netCdfNaming.mesh.topology,
    location: 'node',
    _FillValue: Number.NaN,
  };
  return [
    {
      spec: { name: names.heights, ...itemShape(time, type, dimensions, lengths), fill: Number.NaN, attributes },
      timed: time !== undefined,
      async *values(step) {
        yield scattered(await heights(step), at, type, Number.NaN);
      },
    },
  ];
}

function stackedItem(
  mesh: Mesh,
  n: number,
  { spec, places, height }: { spec: ArraySpec; places: Places; height: string | undefined },
): ItemArray {
  const item = mesh.items[n]!;
  const { dimensions, lengths, at } = places;
  const { type, fill } = storedItem(item);
  const before = (item.components ?? []).map(({ values }) => values.length);
  // Behind the time, and before the faces or nodes.
  const components = spec.dimensions.slice(-1 - before.length, -1);
  const { coordinates, _FillValue = isFloat(type) && at.includes(NO_NODE) ? fill : undefined } = spec.attributes;
  const named = [coordinates, item.location === 'cell' ? height : undefined].filter((one) => one !== undefined);
  return {
    spec: {
      ...spec,
      ...itemShape(mesh.time, type, [...components, ...dimensions], [...before, ...lengths]),
      attributes: {
        ...spec.attributes,
        ...(_FillValue === undefined ? {} : { _FillValue }),
        ...(named.length === 0 ? {} : { coordinates: named.join(' ') }),
      },
    },
    timed: mesh.time !== undefined,
    async *values(step) {
      const values = await mesh.values(n, step);
      const own = values.length / componentCount(item);
      for (let first = 0; first < values.length; first += own)
        yield scattered(values.subarray(first, first + own), at, type, fill);
    },
  };
}
