import { ConversionError, stepsIn } from 'hydrofiles';
import { type Indices, type StoredValues, stepCount } from 'hydrofiles/data';
import { invalidMember } from '../../errors.ts';
import { mostChunkBytes, mostRead, mostValues, tooManyBytes, tooManyRead, tooManyValues } from '../limits.ts';
import type { OpenDataset } from '../stores.ts';
import { noDataOf, type Variable } from '../variables.ts';
import { chooseElements, type Elements } from './elements.ts';
import { type MdQuery, parseFilters } from './query-input.ts';

/** What a query chooses. */
export interface Chosen {
  readonly elements: Elements;
  /** Indices of items, and of steps; one step without a time. */
  readonly items: readonly number[];
  readonly steps: readonly number[];
}

/** Values of an item at one layer; no data is NaN. */
export interface LayerValues {
  readonly item: number;
  /** From 0, the lowest; −1: the item has no layers. */
  readonly layer: number;
  /** What no data is in binary answers. */
  readonly noData: number;
  /** @param step position among the chosen steps */
  value(step: number, element: number): number;
}

export async function chooseFrom(dataset: OpenDataset, query: MdQuery): Promise<Chosen & { layersOf: LayerChoice }> {
  const filters = parseFilters(query);
  const { variables, data } = dataset;
  const wanted = query.itemFilter?.itemIndices ?? [];
  for (const n of wanted)
    if (variables[n] === undefined)
      throw invalidMember('itemFilter', `There is no item ${n}: the data have items 0 to ${variables.length - 1}.`);
  const items = wanted.length === 0 ? variables.map((_, n) => n) : [...new Set(wanted)];
  const { time } = data;
  let steps = Array.from({ length: time === undefined ? 1 : stepCount(time) }, (_, step) => step);
  if (filters.time !== undefined) {
    if (time === undefined) throw invalidMember('temporalFilter', 'The data have no times.');
    try {
      steps = stepsIn(time, filters.time, { reportLoss() {} }).sort((one, other) => one - other);
    } catch (error) {
      if (error instanceof ConversionError) throw invalidMember('temporalFilter', error.message);
      throw error;
    }
  }
  const { height } = filters;
  const layersOf: LayerChoice = (count, heights) => {
    const within = (layer: number) => {
      if (height === undefined) return true;
      if (height.by === 'height' && heights === undefined)
        throw invalidMember('verticalFilter', 'Heights of layers of a mesh vary. Choose layers by index.');
      const value = height.by === 'index' ? layer : heights![layer]!;
      return (height.from === undefined || value >= height.from) && (height.to === undefined || value <= height.to);
    };
    const chosen = Array.from({ length: count }, (_, layer) => layer).filter(within);
    if (chosen.length > 0) return chosen;
    throw invalidMember('verticalFilter', `The filter leaves no layer: the data have layers 0 to ${count - 1}.`);
  };
  return { elements: await chooseElements(dataset, filters.space), items, steps, layersOf };
}

/** Layers that a query chooses, of so many; heights only if they are the same everywhere. */
type LayerChoice = (count: number, heights: ArrayLike<number> | undefined) => number[];

/** Reads the values of a query. Refuses too many before it reads. */
export async function readBlocks(
  dataset: OpenDataset,
  { elements, items, steps, layersOf }: Awaited<ReturnType<typeof chooseFrom>>,
  signal: AbortSignal,
): Promise<LayerValues[]> {
  const plans = items.map((item) => planOf(dataset, { item, elements, steps, layersOf }));
  let [values, read, bytes] = [0, 0, 0];
  for (const { variable, indices, layers } of plans) {
    values += steps.length * Math.max(1, layers.length) * elements.positions.length;
    read += indices.reduce((all, { length }) => all * length, 1);
    bytes += variable.array.bytesFor(indices);
  }
  if (values > mostValues) throw tooManyValues(values);
  if (read > mostRead) throw tooManyRead(read);
  if (bytes > mostChunkBytes) throw tooManyBytes(bytes);
  const blocks: LayerValues[] = [];
  for (const { item, variable, indices, layers, place } of plans) {
    const stored = await variable.array.select(indices, signal);
    const physical = physicalOf(variable, stored);
    const noData = noDataOf(variable.item);
    const perStep = stored.length / (variable.timed ? steps.length : 1);
    for (const layer of layers.length === 0 ? [-1] : layers)
      blocks.push({
        item,
        layer,
        noData,
        value(step, element) {
          const at = place(layer, element);
          return at === undefined ? Number.NaN : physical((variable.timed ? step * perStep : 0) + at);
        },
      });
  }
  return blocks;
}

interface Plan {
  readonly item: number;
  readonly variable: Variable;
  readonly indices: readonly Indices[];
  /** Empty: the item has none. */
  readonly layers: readonly number[];
  /** Place among the values of a step. */
  place(layer: number, element: number): number | undefined;
}

function planOf(
  dataset: OpenDataset,
  {
    item,
    elements,
    steps,
    layersOf,
  }: { item: number; elements: Elements; steps: readonly number[]; layersOf: LayerChoice },
): Plan {
  const variable = dataset.variables[item]!;
  const roles = variable.dimensions.map(({ role }) => role);
  const isSimple = ['y,x', 'layer,y,x', 'place'].includes(roles.join(',')) && variable.location !== 'node';
  if (!isSimple)
    throw invalidMember(
      'itemFilter',
      `The values of item ${item} ('${variable.id}') lie at no elements. Read them under /values.`,
    );
  const time: Indices[] = variable.timed ? [Uint32Array.from(steps)] : [];
  return elements.kind === 'mesh'
    ? meshPlan(dataset, { item, variable, elements, layersOf, time })
    : gridPlan(dataset, { item, variable, elements, layersOf, time });
}

interface Parts {
  readonly item: number;
  readonly variable: Variable;
  readonly elements: Elements;
  readonly layersOf: LayerChoice;
  readonly time: readonly Indices[];
}

function gridPlan({ cells }: OpenDataset, { item, variable, elements, layersOf, time }: Parts): Plan {
  const { positions } = elements;
  const { width } = cells!;
  const [first] = variable.dimensions;
  const axis = first !== undefined && first.role === 'layer' ? first.axis : undefined;
  const layers = axis === undefined ? [] : layersOf(axis.values.length, axis.values);
  const rows = { first: Math.floor(positions[0]! / width), end: Math.floor(positions.at(-1)! / width) + 1 };
  let [west, east] = [width, 0];
  for (const position of positions) {
    west = Math.min(west, position % width);
    east = Math.max(east, (position % width) + 1);
  }
  const [height, across] = [rows.end - rows.first, east - west];
  return {
    item,
    variable,
    layers,
    indices: [
      ...time,
      ...(axis === undefined ? [] : [Uint32Array.from(layers)]),
      { first: rows.first, length: height },
      { first: west, length: across },
    ],
    place(layer, element) {
      const position = positions[element]!;
      const within = (Math.floor(position / width) - rows.first) * across + (position % width) - west;
      return axis === undefined ? within : layers.indexOf(layer) * height * across + within;
    },
  };
}

function meshPlan({ places }: OpenDataset, { item, variable, elements, layersOf, time }: Parts): Plan {
  const { positions } = elements;
  const layered = places!.layers;
  if (layered === undefined)
    return { item, variable, layers: [], indices: [...time, positions], place: (_, element) => element };
  const layers = layersOf(layered.count, undefined);
  const { columns } = places!.mesh.layers!;
  const cells: number[] = [];
  const placeOf = new Map<number, number>();
  for (const [n, position] of positions.entries())
    for (let cell = columns[position]!; cell < columns[position + 1]!; cell++) {
      const layer = layered.of[cell]!;
      if (!layers.includes(layer)) continue;
      placeOf.set(n * layered.count + layer, cells.length);
      cells.push(cell);
    }
  return {
    item,
    variable,
    layers,
    indices: [...time, Uint32Array.from(cells)],
    place: (layer, element) => placeOf.get(element * layered.count + layer),
  };
}

/** The physical value, with scale and offset applied; NaN for no data. */
function physicalOf({ item, array }: Variable, values: StoredValues): (index: number) => number {
  const { scale = 1, offset = 0, nodata, exactNodata } = item;
  const empty = nodata !== undefined && array.metadata.type === 'Float32' ? Math.fround(nodata) : nodata;
  return (index) => {
    const value = values[index]!;
    if (typeof value === 'bigint' ? value === exactNodata || Number(value) === nodata : value === empty)
      return Number.NaN;
    return Number(value) * scale + offset;
  };
}
