import type { Data } from '../../../data/data.ts';
import { distinctName } from '../../../data/distinct-name.ts';
import type { Feature, FeatureCollection, Field } from '../../../data/feature-collection.ts';
import type { Series, SeriesItem } from '../../../data/series.ts';
import { offsetOf, stepsOf, type TimeAxis } from '../../../data/time-axis.ts';
import type { ZoneStatistic } from '../../../geo/zones/statistics.ts';
import { fieldIndex } from '../find-field.ts';
import type { StepContext } from '../step-context.ts';
import { timeField, timeValue } from '../time-field.ts';
import { type ZonalItem, type ZonalSource, zonalSource } from './sources.ts';
import type { ZonalStatisticsTransformation } from './transformation.ts';
import { openZones, ZoneChains, zoneName } from './zones.ts';

/** Maximum number of values of a chunk of series. */
const maxChunkValues = 1 << 20;
const maxChunkSteps = 256;

/** What the features or series of zones are made of. */
interface ZonalValues {
  readonly zones: FeatureCollection;
  readonly source: ZonalSource;
  readonly statistics: readonly ZoneStatistic[];
  /** Statistics of zones side by side; NaN for none. */
  valuesOf(item: ZonalItem, step: number): Promise<Float64Array>;
}

/** Computes statistics of the values in zones: features, or time series if the writer takes these alone. */
export async function apply(
  data: Data,
  step: ZonalStatisticsTransformation,
  shared: StepContext,
): Promise<FeatureCollection | Series> {
  const { context } = shared;
  const source = zonalSource(data, context);
  const zones = await openZones(step, source.crs, shared);
  const id = step.id === undefined ? undefined : fieldIndex(zones.fields, step.id, 'The zones');
  const weigher = source.weigh(step.weights);
  const chains = new ZoneChains(zones, source.crs, source.extent);
  const names: string[] = [];
  for await (const chunk of zones.chunks())
    for (const feature of chunk) {
      context.signal.throwIfAborted();
      weigher.add(await chains.next(feature));
      names.push(zoneName(id === undefined ? undefined : feature.values[id], names.length + 1));
    }
  const { statistics } = step;
  const values: ZonalValues = { zones, source, statistics, valuesOf: weigher.ready(statistics) };
  return shared.makes === 'series' ? seriesOf(values, names) : featuresOf(values, names.length);
}

/** The zones with a field per item, layer and statistic, once per step. */
function featuresOf({ zones, source, statistics, valuesOf }: ZonalValues, count: number): FeatureCollection {
  const used = new Set(zones.fields.map(({ name }) => name));
  const steps = stepsOf(source);
  const { time } = source;
  const timed = steps > 1 && time !== undefined;
  const times = timed ? [{ ...timeField(time), name: distinctName('time', used) }] : [];
  const fields = source.items.flatMap(({ name }) =>
    statistics.map((statistic): Field => {
      const label = source.items.length === 1 ? statistic : `${name} ${statistic}`;
      return { name: distinctName(label, used), type: 'real' };
    }),
  );
  return {
    ...zones,
    fields: [...zones.fields, ...times, ...fields],
    count: count * steps,
    async *chunks() {
      for (let step = 0; step < steps; step++) {
        const columns: Float64Array[] = [];
        for (const item of source.items) columns.push(await valuesOf(item, step));
        const moment = timed ? [timeValue(time, step)] : [];
        let zone = 0;
        for await (const chunk of zones.chunks())
          yield chunk.map(({ id, geometry, values }): Feature => {
            const own = columns.flatMap((column) => valuesIn(column, statistics.length, zone));
            zone++;
            return {
              // ids of features are unique
              ...(id === undefined || timed ? {} : { id }),
              ...(geometry === undefined ? {} : { geometry }),
              values: [...values, ...moment, ...own],
            };
          });
      }
    },
  };
}

const valuesIn = (column: Float64Array, statistics: number, zone: number): (number | null)[] =>
  Array.from(column.subarray(zone * statistics, (zone + 1) * statistics), (value) =>
    Number.isFinite(value) ? value : null,
  );

const oneStep: TimeAxis = { spacing: 'equidistant', unit: 'second', start: 0, count: 1, offset: 0, interval: 1 };

/** A series per zone, item, layer and statistic. */
function seriesOf({ source, statistics, valuesOf }: ZonalValues, names: readonly string[]): Series {
  const time = source.time ?? oneStep;
  const used = new Set<string>();
  const items = names.flatMap((zone) =>
    source.items.flatMap((item) => statistics.map((statistic) => seriesItem(zone, item, statistic, source, used))),
  );
  const steps = stepsOf({ time });
  const perChunk = Math.max(1, Math.min(maxChunkSteps, Math.floor(maxChunkValues / Math.max(1, items.length))));
  const perZone = source.items.length * statistics.length;
  return {
    kind: 'series',
    ...(source.crs === undefined ? {} : { crs: source.crs }),
    items,
    time,
    async *chunks() {
      for (let firstStep = 0; firstStep < steps; firstStep += perChunk) {
        const count = Math.min(perChunk, steps - firstStep);
        const values = items.map(() => new Float64Array(count));
        for (let k = 0; k < count; k++)
          for (const [n, item] of source.items.entries()) {
            const column = await valuesOf(item, firstStep + k);
            for (let at = 0; at < column.length; at++) {
              const zone = Math.floor(at / statistics.length);
              values[zone * perZone + n * statistics.length + (at % statistics.length)]![k] = column[at]!;
            }
          }
        const offsets = Float64Array.from({ length: count }, (_, k) => offsetOf(time, firstStep + k));
        yield { firstStep, offsets, values };
      }
    },
  };
}

function seriesItem(
  zone: string,
  { name, described }: ZonalItem,
  statistic: ZoneStatistic,
  { items }: ZonalSource,
  used: Set<string>,
): SeriesItem {
  const { unit, eum, valueKind } = described;
  const label = items.length === 1 ? statistic : `${name} ${statistic}`;
  return {
    name: distinctName(`${zone}, ${label}`, used),
    type: 'Float64',
    nodata: Number.NaN,
    // a count of cells has no unit, and nothing is accumulated in it
    ...(statistic === 'count' ? {} : { ...(unit && { unit }), ...(eum && { eum }), ...(valueKind && { valueKind }) }),
  };
}
