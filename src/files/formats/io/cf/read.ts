import type { Crs } from '../../../data/crs-reference.ts';
import { defined } from '../../../data/defined.ts';
import type { Grid, LayerAxis } from '../../../data/grid.ts';
import type { Axis, Item } from '../../../data/item.ts';
import type { ArrayItem, MultiArray } from '../../../data/multi-array.ts';
import { isBig, type StoredType } from '../../../data/stored-values.ts';
import { stepCount, type TimeAxis } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import { describeCrs, wgs84 } from '../../../geo/crs/crs.ts';
import { arrayOf, gridOf, type ValueArray } from '../value-array.ts';
import {
  type Coordinates,
  coordinateOf,
  coordinatesOf,
  isLongitude,
  remarkOnLine,
  roleOf,
  unitSize,
} from './coordinates.ts';
import { crsOfMapping, gridMappingOf } from './grid-mapping.ts';
import { realNumbers } from './numbers.ts';
import { type Packing, packingOf } from './packing.ts';
import { hasTimeUnits, timesOf } from './time.ts';
import { type CfContext, type CfFile, type CfVariable, numberOf, shortened, textOf } from './variable.ts';
import { ArrayView, type ViewDimension } from './view.ts';

/** Data of a file, and the array of each of its items: time first if the item has it, then its own dimensions. */
export interface CfData {
  readonly data: Grid | MultiArray;
  readonly arrays: readonly ValueArray[];
  /** Reads the variables that name valid values, and reports how many others they have. */
  reportInvalid(signal: AbortSignal): Promise<void>;
}

/** Coordinates are held in memory; a dimension may have more values only if it has a coordinate variable. */
const longestDimension = 10_000_000;

/**
 * The variables of a file by the conventions of CF: a grid if all of them have the same evenly spaced x and y, else an
 * array.
 * @throws FormatError for a file without variables, or with times that cannot be kept
 */
export async function readCf(file: CfFile, context: CfContext): Promise<CfData> {
  const { chosen, scalars, left } = variablesOf(file);
  if (chosen.length === 0) throw new FormatError('The file has no variables with values besides coordinates.');
  const packings = chosen.map(({ metadata }) => packingOf(metadata));
  for (const [n, { ignored }] of packings.entries())
    for (const key of ignored)
      context.remark(
        `'${key}' of '${shortened(chosen[n]!.metadata.name)}' was ignored: its type does not have the value.`,
      );
  const clock = await clockOf(file, chosen, scalars, context);
  const dimensions = new Dimensions(file, context);
  const views: View[] = [];
  for (const [n, variable] of chosen.entries()) {
    const view = await dimensions.viewOf(variable, clock);
    const packing = packings[n]!;
    views.push({ variable, packing, ...view, item: itemOf(variable, packing) });
  }
  await reportScalars(scalars, clock, context);
  if (left.length > 0)
    context.reportLoss(
      `Variables besides the data were left out: ${left.map((name) => `'${shortened(name)}'`).join(', ')}.`,
    );
  const place = await placeOf(file, views, dimensions, context);
  const data =
    (await asGrid(views, clock, place, dimensions, context)) ?? (await asArray(views, clock, place, dimensions));
  return {
    data,
    arrays: views.map(({ array }) => array),
    reportInvalid: (signal) => reportInvalid(views, context, signal),
  };
}

/** A variable with its dimensions in the order of the data model. */
interface View {
  readonly variable: CfVariable;
  readonly packing: Packing;
  readonly item: Item;
  readonly array: ValueArray;
  readonly overTime: boolean;
  /** Besides time. */
  readonly own: readonly Dimension[];
}

/** A dimension of variables. */
interface Dimension {
  /** Undefined: the variable's own. */
  readonly name: string | undefined;
  readonly length: number;
  readonly role: 'x' | 'y' | 'level' | 'other';
}

/** Attributes that name variables which describe others. */
const describing = [
  'grid_mapping',
  'bounds',
  'climatology',
  'coordinates',
  'cell_measures',
  'formula_terms',
  'mesh',
  'geometry',
  'node_coordinates',
  'node_count',
  'part_node_count',
  'interior_ring',
];

/** Variables with values, scalar coordinates, and the names of those that are neither and hold no axis. */
function variablesOf(file: CfFile) {
  const all = [...file.variables.values()];
  const named = new Map<string, string>();
  for (const attributes of [file.attributes, ...all.map(({ metadata }) => metadata.attributes)])
    for (const key of describing)
      for (const word of textOf(attributes[key])?.split(/[\s:]+/) ?? []) if (!named.has(word)) named.set(word, key);
  const isAxis = ({ metadata: { name, shape, dimensions } }: CfVariable) =>
    shape.length === 1 && dimensions[0] === name;
  const chosen = all.filter((one) => one.metadata.shape.length > 0 && !named.has(one.metadata.name) && !isAxis(one));
  const used = new Set(chosen.flatMap(({ metadata }) => metadata.dimensions));
  const scalars = all.filter(
    (one) =>
      one.metadata.shape.length === 0 &&
      (named.get(one.metadata.name) === 'coordinates' ||
        hasTimeUnits(one) ||
        one.metadata.attributes.axis !== undefined),
  );
  const kept = ['grid_mapping', 'bounds', 'climatology'];
  const left = all
    .filter((one) => !chosen.includes(one) && !scalars.includes(one))
    .filter(
      (one) => !(isAxis(one) && used.has(one.metadata.name)) && !kept.includes(named.get(one.metadata.name) ?? ''),
    )
    .map(({ metadata }) => metadata.name);
  return { chosen, scalars, left };
}

interface Clock {
  /** Undefined: a scalar coordinate gives the time of all variables. */
  readonly dimension: string | undefined;
  /** Undefined: a dimension without coordinates. */
  readonly variable: CfVariable | undefined;
  readonly time: TimeAxis;
  readonly order: Uint32Array | undefined;
}

/** The time axis: the dimension of time that most variables have, else a scalar coordinate. */
async function clockOf(
  file: CfFile,
  chosen: readonly CfVariable[],
  scalars: readonly CfVariable[],
  context: CfContext,
): Promise<Clock | undefined> {
  const counts = new Map<string, number>();
  for (const { metadata } of chosen)
    for (const dimension of new Set(metadata.dimensions)) {
      const coordinate = coordinateOf(file, dimension);
      if (coordinate !== undefined && isTime(coordinate)) counts.set(dimension!, (counts.get(dimension!) ?? 0) + 1);
    }
  for (const [dimension] of [...counts].toSorted(([, one], [, other]) => other - one)) {
    const variable = coordinateOf(file, dimension)!;
    const times = await timesOf(variable, context);
    if (times !== undefined) return { dimension, variable, time: times.time, order: times.order };
  }
  if (counts.size > 0) return undefined;
  const [scalar] = scalars
    .filter((one) => isTime(one) && one.metadata.attributes.standard_name !== 'forecast_reference_time')
    .toSorted((one, other) => Number(isNamedTime(other)) - Number(isNamedTime(one)));
  const times = scalar && (await timesOf(scalar, context));
  if (times !== undefined) return { dimension: undefined, variable: scalar, time: times.time, order: undefined };
  return withoutTimes(file, chosen, context);
}

/** The steps of a dimension that is called time and has no coordinates: one second apart, from no date on. */
function withoutTimes(file: CfFile, chosen: readonly CfVariable[], { remark }: CfContext): Clock | undefined {
  if (file.variables.has(TIME)) return undefined;
  for (const { metadata } of chosen) {
    const count = metadata.shape[metadata.dimensions.indexOf(TIME)];
    if (count === undefined) continue;
    remark(`The dimension '${TIME}' has no coordinates; its steps were taken as one second apart.`);
    const time = { spacing: 'equidistant', unit: 'second', count, offset: 0, interval: 1 } as const;
    return { dimension: TIME, variable: undefined, time, order: undefined };
  }
  return undefined;
}

const TIME = 'time';

const isNamedTime = ({ metadata: { name, attributes } }: CfVariable): boolean =>
  name === 'time' || attributes.standard_name === 'time' || attributes.axis === 'T';

const isTime = (variable: CfVariable): boolean => isNamedTime(variable) || hasTimeUnits(variable);

/** The item of a variable with attributes of CF. */
function itemOf({ metadata: { name, attributes } }: CfVariable, { type, nodata }: Packing): Item {
  return defined({
    name,
    unit: textOf(attributes.units),
    ...typeOf(type),
    scale: numberOf(attributes.scale_factor),
    offset: numberOf(attributes.add_offset),
    nodata: nodata === undefined ? undefined : Number(nodata),
    exactNodata: typeof nodata === 'bigint' && !Number.isSafeInteger(Number(nodata)) ? nodata : undefined,
  }) as Item;
}

/** 64-bit integers are passed as doubles. */
const typeOf = (stored: StoredType): Pick<Item, 'type' | 'integer64'> =>
  isBig(stored) ? { type: 'Float64', integer64: stored } : { type: stored };

/** Coordinates of dimensions, each read once. */
class Dimensions {
  readonly #file: CfFile;
  readonly #context: CfContext;
  readonly #read = new Map<string, Promise<Coordinates | undefined>>();
  /** Size of the unit of x and y in that of the coordinate system. */
  factor = 1;

  constructor(file: CfFile, context: CfContext) {
    this.#file = file;
    this.#context = context;
  }

  coordinates({ name, role }: Pick<Dimension, 'name' | 'role'>): Promise<Coordinates | undefined> {
    const factor = role === 'x' || role === 'y' ? this.factor : 1;
    const key = JSON.stringify([name, factor]);
    const found = this.#read.get(key) ?? coordinatesOf(this.#file, name, factor);
    this.#read.set(key, found);
    return found;
  }

  /**
   * The variable over time, its other dimensions, level, y and x. Dimensions of length 1 besides these are left out,
   * and so is a single level.
   */
  async viewOf(variable: CfVariable, clock: Clock | undefined): Promise<Pick<View, 'array' | 'overTime' | 'own'>> {
    const { shape, dimensions } = variable.metadata;
    const steps = clock === undefined ? 0 : stepCount(clock.time);
    // Zarr does not check that arrays have the dimension's length.
    const timeAt = dimensions.findIndex(
      (name, d) => name !== undefined && name === clock?.dimension && shape[d] === steps,
    );
    const taken = { x: false, y: false, level: false };
    const all = shape.map((length, from) => {
      const name = dimensions[from];
      const found = from === timeAt ? 'other' : roleOf(this.#file, name);
      const role: Dimension['role'] = found === 'other' || taken[found] ? 'other' : found;
      if (role !== 'other') taken[role] = true;
      return { name, length, from, role };
    });
    const placed = taken.x && taken.y;
    const own = all.filter(({ from, role, length }) => from !== timeAt && !(placed && length === 1 && isPlain(role)));
    for (const one of all) if (one.from !== timeAt && !own.includes(one)) await this.#reportSingle(variable, one);
    const order = { other: 0, level: 1, y: 2, x: 3 };
    const sorted = placed ? own.toSorted((one, other) => order[one.role] - order[other.role]) : own;
    const views: (ViewDimension & Dimension)[] = [];
    for (const one of sorted) views.push(defined({ ...one, order: await this.#direction(one) }) as never);
    const overTime = timeAt >= 0 || (clock !== undefined && clock.dimension === undefined);
    const first: ViewDimension[] = !overTime
      ? []
      : timeAt >= 0
        ? [
            defined({
              name: clock!.dimension,
              length: shape[timeAt]!,
              from: timeAt,
              order: clock!.order,
            }) as ViewDimension,
          ]
        : [{ name: 'time', length: 1 }];
    const array = new ArrayView(variable, [...first, ...views], packingOf(variable.metadata));
    return { array, overTime, own: views };
  }

  /**
   * Layers begin with the lowest, or the highest pressure; other coordinates rise, but an even y may run from the
   * north.
   */
  async #direction(dimension: Dimension): Promise<'reversed' | undefined> {
    const coordinates = await this.coordinates(dimension);
    if (coordinates === undefined || dimension.length < 2) return undefined;
    const { values, line, variable } = coordinates;
    const falls = values.every((value, n) => n === 0 || value < values[n - 1]!);
    const rises = values.every((value, n) => n === 0 || value > values[n - 1]!);
    if (dimension.role === 'level') return (isDown(variable, values) ? rises : falls) ? 'reversed' : undefined;
    if (dimension.role === 'y' && line !== undefined) return undefined;
    return falls ? 'reversed' : undefined;
  }

  async #reportSingle(variable: CfVariable, dimension: Dimension): Promise<void> {
    const coordinates = await this.coordinates(dimension);
    const name = shortened(dimension.name ?? 'a dimension');
    const value = coordinates === undefined ? '' : ` ${coordinates.values[0]}`;
    const units = coordinates && textOf(coordinates.variable.metadata.attributes.units);
    this.#context.reportLoss(
      `The only '${name}'${value}${units === undefined ? '' : ` ${units}`} of '${shortened(variable.metadata.name)}' was left out: data of one level have no layers.`,
    );
  }
}

const isPlain = (role: Dimension['role']): boolean => role === 'other' || role === 'level';

const pressure = /^(?:Pa|hPa|kPa|mbar|millibars?|mb|bar|dbar|decibars?|pascals?)$/i;
const isPressure = ({ metadata: { attributes } }: CfVariable): boolean => pressure.test(textOf(attributes.units) ?? '');

/** Whether larger values lie deeper. */
function isDown(variable: CfVariable, values: Float64Array): boolean {
  const { attributes, name } = variable.metadata;
  const positive = textOf(attributes.positive)?.toLowerCase();
  if (positive === 'up' || positive === 'down') return positive === 'down';
  if (isPressure(variable)) return true;
  const isDepth = textOf(attributes.standard_name) === 'depth' || /^depth/i.test(name);
  return isDepth && values.every((value) => value >= 0);
}

async function reportScalars(
  scalars: readonly CfVariable[],
  clock: Clock | undefined,
  { reportLoss }: CfContext,
): Promise<void> {
  for (const scalar of scalars) {
    if (scalar === clock?.variable) continue;
    const [value] = await realNumbers(scalar);
    const units = textOf(scalar.metadata.attributes.units);
    reportLoss(
      `The coordinate '${shortened(scalar.metadata.name)}', ${value}${units === undefined ? '' : ` ${shortened(units)}`}, was left out.`,
    );
  }
}

/** Where the data lie: x and y of the first variable that has both, and their coordinate system. */
interface HorizontalAxes {
  readonly x: Dimension;
  readonly y: Dimension;
  readonly crs: Crs | undefined;
}

async function placeOf(
  file: CfFile,
  views: readonly View[],
  dimensions: Dimensions,
  context: CfContext,
): Promise<HorizontalAxes | undefined> {
  const view = views.find(({ own }) => own.some(({ role }) => role === 'x') && own.some(({ role }) => role === 'y'));
  if (view === undefined) return undefined;
  const x = view.own.find(({ role }) => role === 'x')!;
  const y = view.own.find(({ role }) => role === 'y')!;
  const variable = coordinateOf(file, x.name);
  const mapping = gridMappingOf(view.variable, x.name);
  if (mapping !== undefined && file.variables.has(mapping)) {
    const crs = await crsOfMapping(file, mapping, context);
    if (crs !== undefined) dimensions.factor = await factorOf(crs, variable);
    return { x, y, crs };
  }
  if (mapping !== undefined) context.remark(`The grid mapping '${shortened(mapping)}' is not in the file.`);
  if (variable === undefined || !isLongitude(variable)) return { x, y, crs: undefined };
  context.remark('The file names no coordinate system; its longitudes and latitudes were taken as WGS 84 (EPSG:4326).');
  return { x, y, crs: wgs84 };
}

/** Coordinates may be in another unit than their system, such as kilometres. */
async function factorOf(crs: Crs, x: CfVariable | undefined): Promise<number> {
  const size = x && unitSize(x);
  if (size === undefined) return 1;
  try {
    const { geographic, unit } = await describeCrs(crs);
    return geographic || Math.abs(size / unit.factor - 1) < 1e-9 ? 1 : size / unit.factor;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return 1;
  }
}

const lineOf = async (dimension: Dimension, dimensions: Dimensions) => {
  const coordinates = await dimensions.coordinates(dimension);
  return coordinates?.values.length === dimension.length ? coordinates : undefined;
};

/** The corner of the first cell, and the size of cells, of x and y that are even. */
async function affineOf({ x, y }: Pick<HorizontalAxes, 'x' | 'y'>, dimensions: Dimensions, context?: CfContext) {
  const [alongX, alongY] = [await lineOf(x, dimensions), await lineOf(y, dimensions)];
  if (alongX?.line === undefined || alongY?.line === undefined) return undefined;
  if (context !== undefined) for (const along of [alongX, alongY]) remarkOnLine(along, context);
  const reversed = alongX.line.step < 0;
  const dx = Math.abs(alongX.line.step);
  const west = reversed ? alongX.line.first - (x.length - 1) * dx : alongX.line.first;
  const { first, step: dy } = alongY.line;
  return [west - dx / 2, dx, 0, first - dy / 2, 0, dy] as const;
}

async function asGrid(
  views: readonly View[],
  clock: Clock | undefined,
  place: HorizontalAxes | undefined,
  dimensions: Dimensions,
  context: CfContext,
): Promise<Grid | undefined> {
  const [first] = views;
  const key = ({ own, overTime }: View) => JSON.stringify([own.map(({ name, length }) => [name, length]), overTime]);
  const roles = first!.own.map(({ role }) => role).join(' ');
  if (place === undefined || !/^(?:level )?y x$/.test(roles) || views.some((view) => key(view) !== key(first!)))
    return undefined;
  const { x, y, crs } = place;
  const affine = await affineOf(place, dimensions, context);
  if (affine === undefined || x.length > longestDimension) return undefined;
  const level = first!.own.find(({ role }) => role === 'level');
  const layers = level && (await layersOf(level, dimensions, context));
  if (level !== undefined && layers === undefined) return undefined;
  const time = first!.overTime ? clock?.time : undefined;
  const head = defined({ width: x.length, height: y.length, affine, crs, time, layers }) as unknown as Omit<
    Grid,
    'kind' | 'bands' | 'rows'
  >;
  return gridOf(
    head,
    views.map(({ item }) => item),
    views.map(({ array }) => array),
  );
}

/** Evenly spaced heights, the lowest first. */
async function layersOf(level: Dimension, dimensions: Dimensions, context: CfContext): Promise<LayerAxis | undefined> {
  const coordinates = await lineOf(level, dimensions);
  if (coordinates?.line === undefined || isPressure(coordinates.variable)) return undefined;
  const { line, variable, values } = coordinates;
  const { attributes } = variable.metadata;
  // Sigma and hybrid coordinates are no heights.
  if (attributes.formula_terms !== undefined) return undefined;
  const down = isDown(variable, values);
  const first = down ? -line.first : line.first;
  const step = down ? -line.step : line.step;
  remarkOnLine(coordinates, context);
  const units = textOf(attributes.units);
  const lowest = step < 0 ? first + (level.length - 1) * step : first;
  return {
    count: level.length,
    first: lowest + 0,
    spacing: Math.abs(step),
    ...(units === undefined ? {} : { unit: units }),
  };
}

async function asArray(
  views: readonly View[],
  clock: Clock | undefined,
  place: HorizontalAxes | undefined,
  dimensions: Dimensions,
): Promise<MultiArray> {
  const axes: Axis[] = [];
  const known: Dimension[] = [];
  const items: ArrayItem[] = [];
  for (const { own, item, overTime } of views) {
    const numbers: number[] = [];
    for (const dimension of own) {
      // Dimensions without a name are the variable's own.
      let n = known.findIndex(
        ({ name, length }) => name !== undefined && name === dimension.name && length === dimension.length,
      );
      if (n < 0) {
        n = known.push(dimension) - 1;
        axes.push(await axisOf(dimension, n, dimensions));
      }
      numbers.push(n);
    }
    items.push({ ...item, axes: numbers, overTime });
  }
  const at = (wanted: Dimension) =>
    known.findIndex(({ name, length }) => name === wanted.name && length === wanted.length);
  const affine = place && (await affineOf(place, dimensions));
  const placement = place && affine && { by: 'affine', x: at(place.x), y: at(place.y), affine };
  const time = items.some(({ overTime }) => overTime) ? clock?.time : undefined;
  const head = defined({ axes, items, time, placement, crs: place?.crs }) as Omit<MultiArray, 'kind' | 'read'>;
  return arrayOf(
    head,
    views.map(({ array }) => array),
  );
}

async function axisOf(
  dimension: Dimension & Pick<ViewDimension, 'order'>,
  n: number,
  dimensions: Dimensions,
): Promise<Axis> {
  const { name, length, role, order } = dimension;
  if (length > longestDimension)
    throw new FormatError(
      `The dimension '${shortened(name ?? String(n))}' has ${length} values. The maximum is ${longestDimension}.`,
    );
  const coordinates = await lineOf(dimension, dimensions);
  const named = name ?? `dimension ${n + 1}`;
  if (coordinates === undefined) return { name: named, values: Float64Array.from({ length }, (_, index) => index) };
  const { variable, line } = coordinates;
  const down = role === 'level' && !isPressure(variable) && isDown(variable, coordinates.values);
  const directed = (values: Float64Array): Float64Array => {
    const own = order === 'reversed' ? values.toReversed() : values.slice();
    return down ? own.map((value) => -value + 0) : own;
  };
  const units = textOf(variable.metadata.attributes.units);
  return defined({
    name: named,
    unit: units,
    values: directed(coordinates.values),
    edges: line === undefined && coordinates.edges !== undefined ? directed(coordinates.edges) : undefined,
  }) as Axis;
}

/** Values that are read at a time. */
const blockValues = 1 << 20;

async function reportInvalid(views: readonly View[], { reportLoss }: CfContext, signal: AbortSignal): Promise<void> {
  for (const { variable, packing } of views) {
    const { countInvalid, valid } = packing;
    if (countInvalid === undefined) continue;
    let count = 0;
    for (const { start, extent } of blocks(variable.metadata)) {
      signal.throwIfAborted();
      count += countInvalid(await variable.read(start, extent));
    }
    if (count > 0)
      reportLoss(
        `${count} ${count === 1 ? 'value' : 'values'} of '${shortened(variable.metadata.name)}' outside of the valid ${valid!.least} to ${valid!.most} became no data.`,
      );
  }
}

/** Blocks of whole chunks that cover an array. */
function* blocks({ shape, chunks }: ValueArray['metadata']): Generator<{ start: number[]; extent: number[] }> {
  if (shape.some((length) => length === 0)) return;
  const extent = [...chunks];
  for (let d = extent.length - 1; d >= 0; d--) {
    const rest = extent.reduce((product, length, n) => (n === d ? product : product * length), 1);
    const most = Math.max(1, Math.floor(blockValues / (rest * chunks[d]!)));
    extent[d] = Math.min(shape[d]!, chunks[d]! * most);
  }
  const start = shape.map(() => 0);
  for (;;) {
    yield { start: [...start], extent: extent.map((length, d) => Math.min(length, shape[d]! - start[d]!)) };
    let d = shape.length - 1;
    for (; d >= 0; d--) {
      start[d]! += extent[d]!;
      if (start[d]! < shape[d]!) break;
      start[d] = 0;
    }
    if (d < 0) return;
  }
}
