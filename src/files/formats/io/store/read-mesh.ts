import type { Crs } from '../../../data/crs-reference.ts';
import { defined } from '../../../data/defined.ts';
import type { Axis } from '../../../data/item.ts';
import { CELL_SHAPES, type Mesh, type MeshItem, type MeshLayers } from '../../../data/mesh.ts';
import { componentCount, shapesByCorners } from '../../../data/mesh-cells.ts';
import { isRising } from '../../../data/number-arrays.ts';
import { asSamples, isBig, type StoredValues } from '../../../data/stored-values.ts';
import { stepCount } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import { axisOfDescription } from './axes.ts';
import type { MeshDescription } from './description.ts';
import { itemOfDescription } from './items.ts';
import type { MeshNames } from './naming.ts';
import type { ArrayStore, OpenedStore, StoreArray } from './opened.ts';
import { checkShape } from './read-grid.ts';
import { originOf } from './read-origin.ts';
import { TIME, timeOfDescription } from './time.ts';

/** Values of a step, which are read at once, that any mesh may have for each of its places. */
const mostComponents = 100_000;
const mostValuesOfStep = 1 << 29;

/** A mesh that the writer has described. */
export async function readDescribedMesh(
  description: MeshDescription,
  store: ArrayStore,
  meshArrays: MeshNames,
): Promise<OpenedStore<Mesh>> {
  const { name, located, section, crs, items } = description;
  const time = description.time && (await timeOfDescription(description.time, () => store.array(TIME)));
  const steps = time === undefined ? [] : [stepCount(time)];
  const nodes = await nodesOf(store, meshArrays);
  const count = nodes.length / 3;
  const cells = await cellsOf(store, count, meshArrays);
  const places = { node: count, cell: cells.shapes.length };
  const layers = description.layers && {
    ...description.layers,
    columns: await columnsOf(store, cells.shapes.length, meshArrays),
  };
  const arrays = items.map(({ array }) => store.array(array));
  const read: MeshItem[] = [];
  for (const [n, { location, components, ...item }] of items.entries()) {
    const axes = components && (await Promise.all(components.map((axis) => axisOfDescription(axis, store))));
    const { type } = arrays[n]!.metadata;
    const one = defined({ ...itemOfDescription(item, type), location, components: axes }) as MeshItem;
    const perPlace = componentCount(one);
    checkShape(arrays[n]!, [...steps, ...(axes ?? []).map(({ values }) => values.length), places[location]]);
    if (perPlace > mostComponents || perPlace * places[location] > mostValuesOfStep)
      throw new FormatError(`An item has ${perPlace} values at each of ${places[location]} places.`);
    read.push(one);
  }
  const optional = async (array: string, length: number) =>
    store.arrays.has(array) ? Int32Array.from(await store.array(array).all([length]), Number) : undefined;
  const heights = store.arrays.get(meshArrays.heights);
  if (heights !== undefined) checkShape(heights, [...steps, count]);
  const stepOf = (array: StoreArray, step: number): Promise<StoredValues> => {
    const lengths = array.metadata.shape.slice(steps.length);
    const before = steps.map(() => 1);
    return array.read([...before.map(() => step), ...lengths.map(() => 0)], [...before, ...lengths]);
  };
  const mesh = defined({
    kind: 'mesh',
    name,
    crs,
    located,
    spectrum: await spectrumOf(description, store),
    section,
    nodes,
    nodeCodes: await optional(meshArrays.codes, count),
    nodeIds: await optional(meshArrays.nodeIds, count),
    cellIds: await optional(meshArrays.cellIds, cells.shapes.length),
    ...cells,
    layers,
    items: read,
    origin: originOf(description, crs as Crs | undefined),
    time,
    heights: heights && (async (step: number) => asFloats(await stepOf(heights, step))),
    values: async (item: number, step: number) => asSamples(await stepOf(arrays[item]!, step)),
  }) as Mesh;
  return { data: mesh, arrays };
}

async function spectrumOf({ spectrum }: MeshDescription, store: ArrayStore): Promise<Axis[] | undefined> {
  return spectrum && Promise.all(spectrum.map((axis) => axisOfDescription(axis, store)));
}

function asFloats(values: StoredValues): Float32Array | Float64Array {
  return values instanceof Float32Array || values instanceof Float64Array ? values : Float64Array.from(values, Number);
}

async function numbersOf(store: ArrayStore, name: string): Promise<StoredValues> {
  const array = store.array(name);
  if (array.metadata.shape.length !== 1 || isBig(array.metadata.type))
    throw new FormatError(
      `The array '${name}' has the shape ${array.metadata.shape.join(' × ')} and type ${array.metadata.type}.`,
    );
  return array.all();
}

async function nodesOf(store: ArrayStore, meshArrays: MeshNames): Promise<Float64Array> {
  const x = await numbersOf(store, meshArrays.x);
  const [y, z] = [await store.array(meshArrays.y).all([x.length]), await store.array(meshArrays.z).all([x.length])];
  const nodes = new Float64Array(3 * x.length);
  for (let n = 0; n < x.length; n++) {
    nodes[3 * n] = Number(x[n]);
    nodes[3 * n + 1] = Number(y[n]);
    nodes[3 * n + 2] = Number(z[n]);
  }
  return nodes;
}

const shapeNumbers: readonly number[] = Object.values(CELL_SHAPES);

async function cellsOf(
  store: ArrayStore,
  nodes: number,
  meshArrays: MeshNames,
): Promise<Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'>> {
  const { connectivity, offsets } = store.arrays.has(meshArrays.padded)
    ? await paddedCells(store.array(meshArrays.padded), meshArrays.firstNode)
    : await flatCells(store, meshArrays);
  const shapes = store.arrays.has(meshArrays.shapes)
    ? Uint8Array.from(await store.array(meshArrays.shapes).all([offsets.length - 1]), Number)
    : shapesByCorners(offsets);
  const wrong = shapes.find((shape) => !shapeNumbers.includes(shape));
  if (wrong !== undefined)
    throw new FormatError(`A cell has the shape ${wrong}, which is not one of VTK's that are supported.`);
  const missing = connectivity.find((node) => node >= nodes);
  if (missing !== undefined) throw new FormatError(`A cell has the node ${missing}, but there are ${nodes} nodes.`);
  return { shapes, connectivity, offsets };
}

async function paddedCells(array: StoreArray, firstNode: number) {
  const [cells = 0, most = 0] = array.metadata.shape;
  const table = await array.all([cells, most]);
  const offsets = new Uint32Array(cells + 1);
  const connectivity = new Uint32Array(table.length);
  let at = 0;
  for (let cell = 0; cell < cells; cell++) {
    for (let n = 0; n < most; n++) {
      const node = Number(table[cell * most + n]) - firstNode;
      if (node >= 0) connectivity[at++] = node;
    }
    offsets[cell + 1] = at;
  }
  return { connectivity: connectivity.slice(0, at), offsets };
}

async function flatCells(store: ArrayStore, meshArrays: MeshNames) {
  const connectivity = Uint32Array.from(await numbersOf(store, meshArrays.flat), Number);
  const offsets = Uint32Array.from(await numbersOf(store, meshArrays.offsets), Number);
  if (offsets[0] !== 0 || !isRising(offsets) || offsets.at(-1) !== connectivity.length)
    throw new FormatError(
      `The offsets of the cells do not rise from 0 to the number of their nodes, ${connectivity.length}.`,
    );
  return { connectivity, offsets };
}

async function columnsOf(store: ArrayStore, cells: number, meshArrays: MeshNames): Promise<MeshLayers['columns']> {
  const columns = Uint32Array.from(await numbersOf(store, meshArrays.columns), Number);
  if (columns[0] !== 0 || !isRising(columns) || columns.at(-1) !== cells)
    throw new FormatError(`The columns of layers do not end where the ${cells} cells end.`);
  return columns;
}
