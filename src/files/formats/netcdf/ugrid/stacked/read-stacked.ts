import { defined } from '../../../../data/defined.ts';
import type { Mesh, MeshItem } from '../../../../data/mesh.ts';
import { componentCount, nodeCount } from '../../../../data/mesh-cells.ts';
import { asSamples, newValues, type StoredType, type StoredValues } from '../../../../data/stored-values.ts';
import { stepCount } from '../../../../data/time-axis.ts';
import { FormatError } from '../../../../errors.ts';
import { axisOfDescription } from '../../../io/store/axes.ts';
import type { MeshDescription } from '../../../io/store/description.ts';
import { itemOfDescription } from '../../../io/store/items.ts';
import { stackNames as names, netCdfNaming } from '../../../io/store/naming.ts';
import type { ArrayStore, StoreArray } from '../../../io/store/opened.ts';
import { checkShape } from '../../../io/store/read-grid.ts';
import { readDescribedMesh } from '../../../io/store/read-mesh.ts';
import { cellsAt, cellsOfStack, NO_NODE, type Stack } from './stack.ts';

const mostLayers = 10_000;
/** Values of a step, which are read at once. */
const mostValuesOfStep = 1 << 29;

/**
 * A layered mesh that the writer has described: faces of the plane with a dimension of layers.
 * @throws FormatError for arrays that contradict each other
 */
export async function readStackedMesh(description: MeshDescription, store: ArrayStore): Promise<Mesh> {
  const { layers: declared, items: described, ...plane } = description;
  if (declared === undefined) throw new FormatError('The mesh has no number of layers.');
  const flat = (await readDescribedMesh({ ...plane, items: [] }, store, netCdfNaming.mesh)).data;
  const stack = await stackIn(store, flat);
  const { layers, columns, nodeAt } = stack;
  const interfaces = layers + 1;
  const nodeNumbers = countOf(nodeAt);
  const places = {
    node: { lengths: [nodeCount(flat), interfaces], at: nodeAt, count: nodeNumbers },
    cell: { lengths: [columns.length - 1, layers], at: cellsAt(stack), count: columns.at(-1)! },
  };
  const steps = flat.time === undefined ? [] : [stepCount(flat.time)];
  const gathered = (values: StoredValues, { at, count }: (typeof places)['node'], type: StoredType): StoredValues => {
    const components = values.length / at.length;
    const own = newValues(type, components * count);
    for (let component = 0; component < components; component++)
      for (let place = 0; place < at.length; place++)
        if (at[place] !== NO_NODE) own[component * count + at[place]!] = values[component * at.length + place] as never;
    return own;
  };
  const stepOf = async (array: StoreArray, step: number, of: (typeof places)['node']): Promise<StoredValues> => {
    const lengths = array.metadata.shape.slice(steps.length);
    const values = await array.read(
      [...steps.map(() => step), ...lengths.map(() => 0)],
      [...steps.map(() => 1), ...lengths],
    );
    return gathered(values, of, array.metadata.type);
  };
  const whole = async (name: string, of: (typeof places)['node']): Promise<StoredValues | undefined> => {
    const array = store.arrays.get(name);
    return array && gathered(await array.all(of.lengths), of, array.metadata.type);
  };
  const integers = async (name: string, of: (typeof places)['node']) => {
    const values = await whole(name, of);
    return values && Int32Array.from(values, Number);
  };
  const items: MeshItem[] = [];
  const arrays = described.map(({ array }) => store.array(array));
  for (const [n, { location, components, ...item }] of described.entries()) {
    const axes = components && (await Promise.all(components.map((axis) => axisOfDescription(axis, store))));
    const read = itemOfDescription(item, arrays[n]!.metadata.type);
    const one = defined({ ...read, location, components: axes }) as MeshItem;
    const of = places[location];
    checkShape(arrays[n]!, [...steps, ...(axes ?? []).map(({ values }) => values.length), ...of.lengths]);
    if (componentCount(one) * of.at.length > mostValuesOfStep)
      throw new FormatError(`An item has ${componentCount(one)} values at each of ${of.at.length} places.`);
    items.push(one);
  }
  const heights = store.arrays.get(names.heights);
  if (heights !== undefined) checkShape(heights, [...steps, ...places.node.lengths]);
  const z = await whole(names.z, places.node);
  if (z === undefined) throw new FormatError(`The file has no variable '${names.z}'.`);
  const { nodeCodes } = flat;
  const codes =
    nodeCodes &&
    ((await integers(names.codes, places.node)) ??
      Int32Array.from(gathered(spread(nodeCodes, interfaces), places.node, 'Int32') as Int32Array));
  return defined({
    ...flat,
    ...cellsOfStack(stack),
    nodes: nodesOf(flat.nodes, nodeAt, interfaces, z),
    nodeCodes: codes,
    nodeIds: await integers(names.nodeIds, places.node),
    cellIds: await integers(names.cellIds, places.cell),
    layers: { ...declared, columns },
    items,
    heights:
      heights &&
      (async (step: number) => {
        const values = await stepOf(heights, step, places.node);
        return values instanceof Float32Array ? values : Float64Array.from(values, Number);
      }),
    values: async (item: number, step: number) =>
      asSamples(await stepOf(arrays[item]!, step, places[items[item]!.location])),
  }) as Mesh;
}

/** The value of each column at all of its interfaces. */
const spread = (values: Int32Array, interfaces: number): Int32Array =>
  Int32Array.from({ length: values.length * interfaces }, (_, place) => values[Math.floor(place / interfaces)]!);

function nodesOf(plane: Float64Array, nodeAt: Int32Array, interfaces: number, z: StoredValues): Float64Array {
  const nodes = new Float64Array(3 * z.length);
  for (const [place, node] of nodeAt.entries()) {
    if (node === NO_NODE) continue;
    const column = Math.floor(place / interfaces);
    nodes.set([plane[3 * column]!, plane[3 * column + 1]!, Number(z[node])], 3 * node);
  }
  return nodes;
}

async function stackIn(store: ArrayStore, flat: Mesh): Promise<Stack> {
  const faces = flat.shapes.length;
  const table = store.array(names.nodeAt);
  const interfaces = table.metadata.shape[1] ?? 0;
  if (!(interfaces >= 2 && interfaces <= mostLayers))
    throw new FormatError(`The variable '${names.nodeAt}' has ${interfaces} interfaces of layers.`);
  const nodeAt = Int32Array.from(await table.all([nodeCount(flat), interfaces]), Number).map((number) => number - 1);
  for (let place = 0; place < nodeAt.length; place++) if (nodeAt[place]! < 0) nodeAt[place] = NO_NODE;
  const layers = interfaces - 1;
  const counts = await store.array(names.faceLayers).all([faces]);
  const columns = new Uint32Array(faces + 1);
  for (let face = 0; face < faces; face++) {
    const own = Number(counts[face]);
    if (!(Number.isInteger(own) && own >= 1 && own <= layers))
      throw new FormatError(`The face ${face + 1} has ${own} layers of ${layers}.`);
    columns[face + 1] = columns[face]! + own;
  }
  return { layers, faces: flat, columns, nodeAt };
}

/** @throws FormatError unless the numbers are 0, 1, 2 … each once */
function countOf(nodeAt: Int32Array): number {
  const count = nodeAt.reduce((all, node) => all + (node === NO_NODE ? 0 : 1), 0);
  const seen = new Uint8Array(count);
  for (const node of nodeAt) {
    if (node === NO_NODE) continue;
    if (node >= count || seen[node] === 1)
      throw new FormatError(`The number ${node + 1} of a node of ${count} is too large or comes twice.`);
    seen[node] = 1;
  }
  return count;
}
