import type { Crs } from '../../../data/crs-reference.ts';
import { defined } from '../../../data/defined.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../../data/series.ts';
import { newValues, type StoredType, type StoredValues } from '../../../data/stored-values.ts';
import { offsetOf, stepCount, type TimeAxis } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import { wgs84 } from '../../../geo/crs/crs.ts';
import type { Context } from '../../define.ts';
import { isLongitude } from '../../io/cf/coordinates.ts';
import { crsOfMapping, gridMappingOf } from '../../io/cf/grid-mapping.ts';
import { reportInvalid } from '../../io/cf/invalid-values.ts';
import { itemOf, longNames, variablesOf } from '../../io/cf/items.ts';
import { type Packing, readPacking } from '../../io/cf/packing.ts';
import type { CfOptions } from '../../io/cf/read.ts';
import { hasTimeUnits, timesOf } from '../../io/cf/time.ts';
import { stepBoundsOf, valueKindOf } from '../../io/cf/value-kind.ts';
import { type CfContext, type CfFile, type CfVariable, shortened, textOf } from '../../io/cf/variable.ts';
import type { NetCdfGroup } from '../netcdf-file.ts';
import { gatherObservations, type Observations } from './observations.ts';
import { type Station, stationsOf } from './stations.ts';

/** Steps of a chunk, unless there are many items. */
const chunkSteps = 1 << 14;
const chunkValues = 1 << 22;

const isTime = (one: CfVariable): boolean =>
  one.metadata.attributes.standard_name === 'time' || one.metadata.attributes.axis === 'T' || hasTimeUnits(one);

/** Whether the file holds time series: it says so, or all its variables are over time alone. */
export function isSeries({ attributes }: NetCdfGroup, file: CfFile): boolean {
  const feature = textOf(attributes.featureType)?.toLowerCase();
  if (feature !== undefined) return feature === 'timeseries';
  const { chosen } = variablesOf(file);
  const [dimension] = chosen[0]?.metadata.dimensions ?? [];
  const clock = dimension === undefined ? undefined : file.variables.get(dimension);
  if (clock === undefined || !hasTimeUnits(clock)) return false;
  return chosen.every(({ metadata }) => metadata.shape.length === 1 && metadata.dimensions[0] === dimension);
}

/** Where the values of a variable at a station are: the observation of each step, or all steps in order. */
interface Layout {
  readonly time: TimeAxis;
  /** Absent: the steps of the file are those of the axis. */
  readonly observations?: readonly Observations[];
  readonly stations: readonly Station[];
  /** The dimension of the stations; absent: one station. */
  readonly instance: string | undefined;
  /** The dimension of the samples or of time. */
  readonly sample: string;
}

/**
 * Time series by the conventions of CF for discrete sampling: orthogonal and incomplete arrays, contiguous and indexed
 * ragged arrays. An item for each variable and station.
 */
export async function readSeries(
  group: NetCdfGroup,
  file: CfFile,
  options: CfOptions,
  context: CfContext & Pick<Context, 'signal'>,
): Promise<Series> {
  const layout = await layoutOf(group, file, context);
  const { instance, sample, stations, time } = layout;
  const isOver = ({ metadata: { dimensions, name } }: CfVariable) =>
    name !== sample && dimensions.includes(sample) && dimensions.every((one) => one === sample || one === instance);
  const { chosen } = variablesOf(file);
  const data = chosen.filter(
    (one) => isOver(one) && !isTime(one) && one.metadata.attributes.instance_dimension === undefined,
  );
  for (const { metadata } of chosen)
    if (!data.some((one) => one.metadata.name === metadata.name) && metadata.dimensions.some((one) => one !== instance))
      if (!isTime(file.variables.get(metadata.name)!) && metadata.attributes.instance_dimension === undefined)
        context.reportLoss(
          `The variable '${shortened(metadata.name)}' was left out: it is not over the time of the series.`,
        );
  if (data.length === 0) throw new FormatError('The file has no variables over the time of its series.');
  const variableNames = longNames(data);
  const bounds = await stepBoundsOf(file, {
    dimension: sample,
    variable: file.variables.get(sample),
    time,
    order: undefined,
  });
  const packed = data.map((variable) => ({ variable, packing: readPacking(variable, context) }));
  const all = packed.flatMap((one, n) =>
    stations.map((station, index) => {
      const name =
        stations.length === 1
          ? variableNames[n]!
          : data.length === 1
            ? station.name
            : `${station.name}, ${variableNames[n]}`;
      return { ...one, station, index, name };
    }),
  );
  const allowed = options.allowed?.(all) ?? [...all.keys()];
  const whole = new WholeValues();
  const columns = allowed.map((n) => columnOf(all[n]!, { ...layout, whole }, context, bounds));
  const chosenVariables = new Set(allowed.map((n) => all[n]!.variable));
  await reportInvalid(
    packed.filter(({ variable }) => chosenVariables.has(variable)),
    context,
    context.signal,
  );
  const crs = await crsOf(file, data[0]!, context);
  const count = stepCount(time);
  return defined({
    kind: 'series',
    crs,
    items: columns.map(({ item }) => item),
    time,
    async *chunks(): AsyncGenerator<SeriesChunk> {
      const most = Math.max(1, Math.min(chunkSteps, Math.floor(chunkValues / columns.length)));
      for (let firstStep = 0; firstStep < count; firstStep += most) {
        const length = Math.min(most, count - firstStep);
        const values: StoredValues[] = [];
        for (const { read } of columns) values.push(await read(firstStep, length));
        const offsets = Float64Array.from({ length }, (_, n) => offsetOf(time, firstStep + n));
        yield { firstStep, offsets, values };
      }
    },
  }) as Series;
}

async function layoutOf(group: NetCdfGroup, file: CfFile, context: CfContext): Promise<Layout> {
  const all = [...file.variables.values()];
  const counts = all.find(({ metadata }) => textOf(metadata.attributes.sample_dimension) !== undefined);
  const indices = all.find(({ metadata }) => textOf(metadata.attributes.instance_dimension) !== undefined);
  const clock = all
    .filter((one) => isTime(one) && one.metadata.shape.length > 0 && !isBounds(file, one))
    .toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))[0];
  if (clock === undefined) throw new FormatError('The series have no times.');
  const { dimensions, shape, name } = clock.metadata;
  const sample = dimensions.at(-1);
  if (sample === undefined) throw new FormatError(`The times '${shortened(name)}' have no dimension.`);
  const instance =
    counts?.metadata.dimensions[0] ??
    textOf(indices?.metadata.attributes.instance_dimension) ??
    instanceOf(group, file, clock);
  const stations = await stationsOf(group, file, instance);
  const base = { stations, instance, sample };
  if (counts === undefined && indices === undefined && shape.length === 1) {
    const times = await timesOf(clock, context);
    if (times === undefined) throw new FormatError(`The times '${shortened(name)}' have no unit of time.`);
    if (times.order === undefined) return { ...base, time: times.time };
    const order = times.order;
    const steps = Uint32Array.from(order, (_, n) => n);
    const length = shape[0]!;
    const observations = stations.map((_, station) => ({ steps, at: order.map((step) => station * length + step) }));
    return { ...base, time: times.time, observations };
  }
  const { observations, unique } = await gatherObservations(
    { counts, indices, clock, stations: stations.length },
    context,
  );
  const values = {
    ...clock,
    metadata: { ...clock.metadata, shape: [unique.length], type: 'Float64' as const },
    all: async () => unique,
  };
  const times = await timesOf(withoutPacking(values), context);
  if (times === undefined) throw new FormatError(`The times '${shortened(name)}' have no unit of time.`);
  return { ...base, time: times.time, observations };
}

const isNamed = ({ metadata: { name, attributes } }: CfVariable): boolean =>
  name === 'time' || attributes.standard_name === 'time';

const isBounds = (file: CfFile, { metadata: { name } }: CfVariable): boolean =>
  [...file.variables.values()].some(({ metadata }) => metadata.attributes.bounds === name);

/** Values that are unpacked already. */
function withoutPacking(variable: CfVariable): CfVariable {
  const { units, calendar } = variable.metadata.attributes;
  return { ...variable, metadata: { ...variable.metadata, attributes: { units, calendar } } };
}

/** The other dimension of the variables over time: that of the stations. */
function instanceOf({ texts }: NetCdfGroup, file: CfFile, clock: CfVariable): string | undefined {
  if (clock.metadata.dimensions.length > 1) return clock.metadata.dimensions[0];
  const [sample] = clock.metadata.dimensions;
  for (const { attributes, dimensions } of [
    ...texts.values(),
    ...[...file.variables.values()].map(({ metadata }) => metadata),
  ])
    if (attributes.cf_role === 'timeseries_id') return dimensions[0];
  for (const { metadata } of variablesOf(file).chosen) {
    const { dimensions } = metadata;
    if (dimensions.length === 2 && dimensions.includes(sample)) return dimensions.find((one) => one !== sample);
  }
  return undefined;
}

interface PackedVariable {
  readonly variable: CfVariable;
  readonly packing: Packing;
}

/** All values of the variable that was read last, unpacked: its stations come one after the other. */
class WholeValues {
  #variable: CfVariable | undefined;
  #values: Promise<StoredValues> | undefined;

  read({ variable, packing }: PackedVariable): Promise<StoredValues> {
    if (this.#values === undefined || this.#variable !== variable)
      this.#values = variable.all().then((values) => packing.unpack?.(values) ?? values);
    this.#variable = variable;
    return this.#values;
  }
}

interface Column {
  readonly item: SeriesItem;
  read(first: number, count: number): Promise<StoredValues>;
}

function columnOf(
  { variable, packing, station, index, name }: PackedVariable & { station: Station; index: number; name: string },
  { observations, instance, sample, time, whole }: Layout & { readonly whole: WholeValues },
  context: CfContext,
  bounds: Parameters<typeof valueKindOf>[1],
): Column {
  const valueKind = valueKindOf(variable, bounds, sample, context);
  const own = observations?.[index];
  const gaps = own !== undefined && own.steps.length < stepCount(time);
  const item = {
    ...itemOf(variable, packing, context),
    name,
    ...(valueKind && { valueKind }),
    ...(station.position && { position: station.position }),
  };
  const { dimensions } = variable.metadata;
  const stationAt = instance === undefined ? -1 : dimensions.indexOf(instance);
  const unpacked = (values: StoredValues) => packing.unpack?.(values) ?? values;
  if (own === undefined)
    return {
      item,
      async read(first, count) {
        const start = dimensions.map((_, d) => (d === stationAt ? index : first));
        return unpacked(
          await variable.read(
            start,
            dimensions.map((_, d) => (d === stationAt ? 1 : count)),
          ),
        );
      },
    };
  const widened = gaps && item.nodata === undefined;
  const type: StoredType = widened && packing.type !== 'Float32' ? 'Float64' : packing.type;
  const nodata = packing.nodata ?? Number.NaN;
  let column: StoredValues | undefined;
  return {
    item: widened ? ({ ...item, type: type as never, nodata: Number.NaN } as SeriesItem) : item,
    async read(first, count) {
      column ??= await scattered();
      return column.slice(first, first + count) as StoredValues;
    },
  };

  async function scattered(): Promise<StoredValues> {
    const values = await whole.read({ variable, packing });
    const steps = newValues(type, stepCount(time));
    if (gaps) steps.fill(nodata as never);
    // An orthogonal array may have the stations last.
    const across = stationAt === 1 && dimensions.length === 2;
    const [length = 1] = variable.metadata.shape;
    const stations = variable.metadata.shape[1] ?? 1;
    for (const [n, step] of own!.steps.entries()) {
      const at = own!.at[n]!;
      steps[step] = values[across ? (at % length) * stations + index : at % values.length] as never;
    }
    return steps;
  }
}

async function crsOf(file: CfFile, variable: CfVariable, context: CfContext): Promise<Crs | undefined> {
  const mapping = gridMappingOf(variable, undefined);
  if (mapping !== undefined && file.variables.has(mapping)) return crsOfMapping(file, mapping, context);
  return [...file.variables.values()].some((one) => isLongitude(one)) ? wgs84 : undefined;
}
