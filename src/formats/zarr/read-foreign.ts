import { defined } from '../../data/defined.ts';
import type { Grid, LayerAxis } from '../../data/grid.ts';
import type { Axis } from '../../data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../data/multi-array.ts';
import type { TimeAxis } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import { shown } from '../io/zip.ts';
import { coordinatesOf, crsOfVariable, dataVariables, evenStep, isAlong, itemOfVariable } from './foreign-variables.ts';
import type { OpenedStore, StoreContext } from './opened.ts';
import { arrayOf } from './read-array.ts';
import { gridOf } from './read-grid.ts';
import type { ZarrArray, ZarrStore } from './store.ts';
import { timeOfCf } from './time.ts';

/** Coordinates are held in memory; a dimension may have more values only if it has a coordinate variable. */
const longestDimension = 10_000_000;

/** A dimension of the variables of a store. */
interface Dimension {
  readonly name: string | undefined;
  readonly length: number;
}

/**
 * A store of another program with attributes of CF or without: a grid if all variables have the same evenly spaced x
 * and y, else an array.
 */
export async function readForeign(store: ZarrStore, context: StoreContext): Promise<OpenedStore<Grid | MultiArray>> {
  const variables = dataVariables(store, context);
  const clock = await timeOf(store, variables);
  const data = (await asGrid(store, variables, clock)) ?? (await asArray(store, variables, clock));
  return { data, arrays: variables };
}

interface Clock {
  readonly dimension: string;
  readonly time: TimeAxis;
}

/** The time axis, if it is the first dimension of all variables that have it. */
async function timeOf(store: ZarrStore, variables: readonly ZarrArray[]): Promise<Clock | undefined> {
  for (const dimension of new Set(variables.map(({ metadata }) => metadata.dimensions[0]))) {
    const array = dimension === undefined ? undefined : store.arrays.get(dimension);
    if (dimension === undefined || array?.shape.length !== 1) continue;
    const { attributes } = array.metadata;
    const isTime = dimension === 'time' || attributes.axis === 'T' || / since /.test(String(attributes.units ?? ''));
    if (!isTime || variables.some(({ metadata }) => metadata.dimensions.lastIndexOf(dimension) > 0)) continue;
    const of = variables.filter(({ metadata }) => metadata.dimensions[0] === dimension);
    if (of.some(({ shape }) => shape[0] !== array.shape[0])) continue;
    const time = await timeOfCf(array);
    if (time !== undefined) return { dimension, time };
  }
  return undefined;
}

/** Dimensions of a variable besides time. */
const spatial = ({ metadata: { dimensions, shape } }: ZarrArray, clock: Clock | undefined): Dimension[] =>
  shape
    .map((length, d) => ({ name: dimensions[d], length }))
    .slice(clock !== undefined && dimensions[0] === clock.dimension ? 1 : 0);

async function asGrid(
  store: ZarrStore,
  variables: readonly ZarrArray[],
  clock: Clock | undefined,
): Promise<Grid | undefined> {
  const [first] = variables;
  const own = spatial(first!, clock);
  const same = (variable: ZarrArray) =>
    JSON.stringify([variable.metadata.dimensions, variable.shape]) ===
    JSON.stringify([first!.metadata.dimensions, first!.shape]);
  if (own.length < 2 || own.length > 3 || !variables.every(same)) return undefined;
  const [y, x] = own.slice(-2) as [Dimension, Dimension];
  if (!isAlong('x', store, x.name) || !isAlong('y', store, y.name) || x.length > 10_000_000) return undefined;
  const along = { x: await coordinatesOf(store, x.name), y: await coordinatesOf(store, y.name) };
  const [dx, dy] = [along.x && evenStep(along.x), along.y && evenStep(along.y)];
  if (dx === undefined || dy === undefined || along.x!.length !== x.length || along.y!.length !== y.length)
    return undefined;
  const layers = own.length === 3 ? await layersOf(store, own[0]!) : undefined;
  if (own.length === 3 && layers === undefined) return undefined;
  const crs = await crsOfVariable(store, first!, x.name);
  const timed = clock !== undefined && first!.metadata.dimensions[0] === clock.dimension;
  const head = defined({
    width: x.length,
    height: y.length,
    affine: [along.x![0]! - dx / 2, dx, 0, along.y![0]! - dy / 2, 0, dy],
    crs,
    time: timed ? clock.time : undefined,
    layers,
  }) as unknown as Omit<Grid, 'kind' | 'bands' | 'rows'>;
  return gridOf(head, variables.map(itemOfVariable), variables);
}

/** Evenly spaced heights. */
async function layersOf(store: ZarrStore, { name, length }: Dimension): Promise<LayerAxis | undefined> {
  const heights = await coordinatesOf(store, name);
  if (heights?.length !== length || length === 0) return undefined;
  const attributes = store.arrays.get(name!)!.metadata.attributes;
  const spacing = length === 1 ? 1 : evenStep(heights);
  const isHeight = attributes.axis === 'Z' || /^(?:z|height|altitude|layer|level|depth)$/i.test(name!);
  if (spacing === undefined || spacing < 0 || !isHeight || attributes.positive === 'down') return undefined;
  const { units } = attributes;
  return { count: length, first: heights[0]!, spacing, ...(typeof units === 'string' ? { unit: units } : {}) };
}

async function asArray(
  store: ZarrStore,
  variables: readonly ZarrArray[],
  clock: Clock | undefined,
): Promise<MultiArray> {
  const axes: Axis[] = [];
  const known: Dimension[] = [];
  const items: ArrayItem[] = [];
  for (const variable of variables) {
    const numbers: number[] = [];
    for (const dimension of spatial(variable, clock)) {
      // Dimensions without a name are the variable's own.
      let n = known.findIndex(
        ({ name, length }) => name !== undefined && name === dimension.name && length === dimension.length,
      );
      if (n < 0) {
        n = known.push(dimension) - 1;
        axes.push(await axisOf(store, dimension, n));
      }
      numbers.push(n);
    }
    const overTime = clock !== undefined && variable.metadata.dimensions[0] === clock.dimension;
    items.push({ ...itemOfVariable(variable), axes: numbers, overTime });
  }
  const placement = placementOf(store, known, axes);
  const crs = placement && (await crsOfVariable(store, variables[0]!, known[placement.x]!.name));
  const head = defined({ axes, items, time: clock?.time, placement, crs }) as Omit<MultiArray, 'kind' | 'read'>;
  return arrayOf(head, variables);
}

async function axisOf(store: ZarrStore, { name, length }: Dimension, n: number): Promise<Axis> {
  if (length > longestDimension)
    throw new FormatError(
      `The dimension '${shown(name ?? String(n))}' has ${length} values. The maximum is ${longestDimension}.`,
    );
  const values = await coordinatesOf(store, name);
  const units = name === undefined ? undefined : store.arrays.get(name)?.metadata.attributes.units;
  return {
    name: name ?? `dimension ${n + 1}`,
    ...(typeof units === 'string' && values !== undefined ? { unit: units } : {}),
    values: values?.length === length ? values : Float64Array.from({ length }, (_, index) => index),
  };
}

function placementOf(
  store: ZarrStore,
  known: readonly Dimension[],
  axes: readonly Axis[],
): Extract<Placement, { by: 'affine' }> | undefined {
  const along = (axis: 'x' | 'y') => known.findIndex(({ name }) => isAlong(axis, store, name));
  const [x, y] = [along('x'), along('y')];
  if (x < 0 || y < 0) return undefined;
  const [dx, dy] = [evenStep(axes[x]!.values), evenStep(axes[y]!.values)];
  if (dx === undefined || dy === undefined) return undefined;
  const [west, first] = [axes[x]!.values[0]!, axes[y]!.values[0]!];
  return { by: 'affine', x, y, affine: [west - dx / 2, dx, 0, first - dy / 2, 0, dy] };
}
