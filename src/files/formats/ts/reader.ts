import { sampleArrays } from '../../data/samples.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../data/series.ts';
import type { TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Read } from '../define.ts';
import { SERIES_FORMAT, SeriesContent } from './content.ts';
import { isNumeric, kindsOf } from './definition.ts';
import { itemOf } from './item.ts';
import type { readParameters } from './parameters.ts';
import { type FiledSeries, SeriesFile } from './series-file.ts';
import { type Chosen, windows } from './union.ts';

/** A second in microseconds, as times are stored. */
const SECOND = 1_000_000n;

export const read: Read<typeof readParameters> = async (
  source,
  { AllowedItemNames, TimeSeriesIds },
  context,
): Promise<Series> => {
  const file = await SeriesFile.open(source);
  const content = new SeriesContent(file);
  const wanted = chooseSeries(file.series, { names: AllowedItemNames, ids: TimeSeriesIds }, context);
  const chosen = wanted
    .filter((n) => isNumeric(file.series[n]!))
    .map((n): Chosen => ({ series: n, kinds: kindsOf(file.series[n]!) }));
  const series = chosen.map((one) => file.series[one.series]!);
  const items = namedItems(series);
  const base = await firstTime(file, chosen);
  const time = await unionAxis(file, chosen, base, context.signal);
  const whole = wanted.length === file.series.length;
  return {
    kind: 'series',
    items,
    time,
    origin: { format: SERIES_FORMAT, content, ...(whole ? {} : { changed: true }) },
    async *chunks() {
      if (!content.kept)
        reportLosses(
          wanted.map((n) => file.series[n]!),
          context,
        );
      yield* readChunks(file, chosen, { items, base, context });
    },
  };
};

/** Numbers of the series that the parameters choose. */
function chooseSeries(
  series: readonly FiledSeries[],
  { names, ids }: { names: readonly string[] | undefined; ids: readonly string[] | undefined },
  { log }: Context,
): number[] {
  const known = { name: new Set(series.map(({ item }) => item.name)), id: new Set(series.map(({ id }) => id)) };
  for (const name of names ?? [])
    if (!known.name.has(name)) log('warning', `There is no series with the item '${name}'.`);
  for (const id of ids ?? []) if (!known.id.has(id)) log('warning', `There is no series with the id '${id}'.`);
  const wanted = [...series.keys()].filter(
    (n) =>
      (names === undefined || names.includes(series[n]!.item.name)) &&
      (ids === undefined || ids.includes(series[n]!.id ?? '')),
  );
  if (wanted.length === 0 && series.length > 0)
    throw new ConversionError(`None of the ${series.length} series was chosen by the parameters of TSReader.`);
  return wanted;
}

/** Series with equal names are distinguished by their ids, unless these were generated. */
function namedItems(series: readonly FiledSeries[]): SeriesItem[] {
  const names = Map.groupBy(series, ({ item }) => item.name);
  return series.map((one) => {
    const { id = '', item } = one;
    const name = names.get(item.name)!.length > 1 && !MADE_ID.test(id) ? `${item.name}, ${id}` : item.name;
    return { ...itemOf(one), name };
  });
}

const MADE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function reportLosses(series: readonly FiledSeries[], { reportLoss }: Context): void {
  const those = (what: readonly FiledSeries[]) =>
    `${what.length === 1 ? `Series '${what[0]!.item.name}'` : `${what.length} series`}`;
  const texts = series.filter((one) => !isNumeric(one));
  if (texts.length > 0)
    reportLoss(`${those(texts)} with values of type Text or Date, which are no numbers, were left out.`);
  const fields = series.filter((one) => isNumeric(one) && one.dataFields.length > 0);
  if (fields.length > 0) reportLoss(`Data fields were left out: ${those(fields)} had them.`);
  const properties = series.filter((one) => isNumeric(one) && Object.keys(one.properties).length > 0);
  if (properties.length > 0) reportLoss(`Properties were left out: ${those(properties)} had them.`);
}

/** Time of the first row, in microseconds since 1970; 0 without rows. */
async function firstTime(file: SeriesFile, chosen: readonly Chosen[]): Promise<bigint> {
  let first: bigint | undefined;
  for (const { series } of chosen)
    for await (const block of file.blocks(series)) {
      if (first === undefined || block.first < first) first = block.first;
      break;
    }
  return first ?? 0n;
}

/** In seconds from the whole second at or before the first row, as DFS files count. */
async function unionAxis(
  file: SeriesFile,
  chosen: readonly Chosen[],
  base: bigint,
  signal: AbortSignal,
): Promise<TimeAxis> {
  const start = base - (((base % SECOND) + SECOND) % SECOND);
  const fraction = Number(base - start);
  const parts: Float64Array[] = [];
  for await (const { times } of windows(file, chosen, { base, values: false })) {
    signal.throwIfAborted();
    parts.push(times);
  }
  const count = parts.reduce((sum, part) => sum + part.length, 0);
  const clock = { unit: 'second' as const, start: Number(start / 1000n) };
  const interval = equalInterval(parts);
  if (interval !== undefined)
    return { ...clock, spacing: 'equidistant', count, offset: fraction / 1e6, interval: interval / 1e6 };
  const offsets = new Float64Array(count);
  let at = 0;
  for (const part of parts) for (const time of part) offsets[at++] = (fraction + time) / 1e6;
  return { ...clock, spacing: 'nonEquidistant', offsets };
}

/** The interval in microseconds between all times; a second for one time; undefined if intervals differ. */
function equalInterval(parts: readonly Float64Array[]): number | undefined {
  let [count, interval] = [0, 1e6];
  for (const part of parts)
    for (const time of part) {
      // times count from the first one
      if (count === 1) interval = time;
      if (time !== count * interval) return undefined;
      count++;
    }
  return count === 0 ? undefined : interval;
}

async function* readChunks(
  file: SeriesFile,
  chosen: readonly Chosen[],
  { items, base, context }: { items: readonly SeriesItem[]; base: bigint; context: Context },
): AsyncGenerator<SeriesChunk> {
  const fraction = Number(((base % SECOND) + SECOND) % SECOND);
  let firstStep = 0;
  for await (const { times, parts } of windows(file, chosen, { base, values: true })) {
    const values = parts.map((part, n) => {
      const { type, nodata } = items[n] as SeriesItem & { type: 'Float32' | 'Float64' };
      const column = new sampleArrays[type](times.length).fill(Number.NaN);
      let step = 0;
      for (let row = 0; row < part.times.length; row++) {
        while (times[step] !== part.times[row]) step++;
        const value = part.columns[0]![row] as number | bigint | null;
        column[step] = value === null ? nodata! : Number(value);
        if (typeof value === 'bigint' && BigInt(column[step]!) !== value)
          context.reportLoss(`Integers of '${items[n]!.name}' were rounded to double precision.`);
      }
      return column;
    });
    yield { firstStep, offsets: times.map((time) => (fraction + time) / 1e6), values };
    firstStep += times.length;
  }
}
