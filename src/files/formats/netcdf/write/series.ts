import { defined } from '../../../data/defined.ts';
import type { Series, SeriesChunk } from '../../../data/series.ts';
import { bytesPerValue, newValues, type StoredValues } from '../../../data/stored-values.ts';
import { stepCount, type TimeAxis } from '../../../data/time-axis.ts';
import { ConversionError } from '../../../errors.ts';
import type { KnownCrs } from '../../../geo/crs/crs.ts';
import type { Context } from '../../define.ts';
import { contentOf, storedPlaceOf } from '../../io/dfs/origin.ts';
import type { ArraySpec, ArrayWriter } from '../../io/store/array-spec.ts';
import { chunkShape } from '../../io/store/chunk-shape.ts';
import { clockArrays, type ItemArray, type StoreContent, type WholeArray, wholeArray } from '../../io/store/content.ts';
import { CRS, crsArray, known } from '../../io/store/crs.ts';
import { ATTRIBUTE } from '../../io/store/description.ts';
import { ArrayNames, describedItem, itemAttributes, storedItem } from '../../io/store/items.ts';
import { numberText } from '../../io/store/json-number.ts';
import { netCdfNaming } from '../../io/store/naming.ts';
import { sourceOf, titleAttribute } from '../../io/store/source-file.ts';
import { describedTime, TIME } from '../../io/store/time.ts';
import { boundsAttribute, boundsOf, cfSpec, fileAttributes, knownTime } from './content.ts';
import { mappingParameters } from './mapping-parameters.ts';

const STATION = 'station';

/** Series as variables over time at one station (orthogonal, by CF). Values come step by step, in order. */
export async function seriesContent(series: Series, context: Context): Promise<StoreContent & { time: TimeAxis }> {
  const { items, crs } = series;
  if (items.length === 0) throw new ConversionError('The data have no series. A NetCDF file needs at least one item.');
  const time = await knownTime(series, context.signal);
  const system = await known(crs);
  const names = new ArrayNames([CRS, TIME, STATION], netCdfNaming);
  const arrays = items.map((item, n) => names.claim(item.name ?? `Item ${n + 1}`));
  const description = seriesDescription(
    series,
    time,
    items.map((item, n) =>
      defined({ ...describedItem(item, arrays[n]!), position: item.position?.map((value) => numberText(value)) }),
    ),
  );
  const station = wholeArray(STATION, 'Int32', Int32Array.of(1), {
    dimensions: [],
    shape: [],
    attributes: { cf_role: 'timeseries_id', long_name: 'station' },
  });
  const bounds = boundsOf(time, items);
  const cursor = new StepCursor(series);
  const count = stepCount(time);
  const wholes: WholeArray[] = [station, ...(bounds === undefined ? [] : [bounds])];
  return {
    attributes: fileAttributes(
      { featureType: 'timeSeries', ...titleAttribute(description.source), [ATTRIBUTE]: description },
      context,
    ),
    time,
    ...boundsAttribute(bounds),
    scalars: await seriesMapping(system),
    wholes,
    items: items.map((item, n): ItemArray => {
      const { type, fill } = storedItem(item, { exact: true });
      const attributes = {
        ...itemAttributes(item, type, fill),
        coordinates: STATION,
        ...(system === undefined ? {} : { grid_mapping: CRS }),
      };
      const spec = cfSpec({
        name: arrays[n]!,
        type,
        dimensions: [TIME],
        shape: [count],
        chunks: chunkShape(count, [], bytesPerValue(type)),
        fill,
        attributes,
      });
      return { spec, timed: true, values: (step) => cursor.values(n, step, type) };
    }),
  };
}

/** What CF cannot say of series. */
export function seriesDescription(series: Series, time: TimeAxis, items: readonly object[]) {
  const { crs } = series;
  const from = contentOf(series);
  const projection =
    storedPlaceOf(series)?.projection ?? (from?.crs === crs ? from?.file.header.projection : undefined);
  return defined({
    version: 1,
    kind: 'series',
    dfs: projection && { projection },
    source: sourceOf(series),
    crs,
    time: describedTime(time),
    items,
  });
}

/** The grid mapping variable of series. */
export async function seriesMapping(system: KnownCrs | undefined): Promise<ArraySpec[]> {
  if (system === undefined) return [];
  const spec = crsArray(system);
  return [{ ...spec, attributes: { ...(await mappingParameters(system)), ...spec.attributes } }];
}

/** Serves the values of steps that are asked for in order, of all items before the next step. */
class StepCursor {
  readonly #series: Series;
  #chunks: AsyncIterator<SeriesChunk> | undefined;
  #chunk: SeriesChunk | undefined;

  constructor(series: Series) {
    this.#series = series;
  }

  async *values(item: number, step: number, type: ArraySpec['type']): AsyncGenerator<StoredValues> {
    this.#chunks ??= this.#series.chunks()[Symbol.asyncIterator]();
    while (this.#chunk === undefined || step >= this.#chunk.firstStep + this.#chunk.offsets.length) {
      const next = await this.#chunks.next();
      if (next.done) throw new ConversionError(`The series end before their step ${step}.`);
      this.#chunk = next.value;
    }
    const value = newValues(type, 1);
    value[0] = this.#chunk.values[item]![step - this.#chunk.firstStep] as never;
    yield value;
  }
}

/** Writes series in one pass: each item fills a chunk of its own. */
export async function writeSeries(
  { content, series }: { content: StoreContent & { time: TimeAxis }; series: Series },
  writer: ArrayWriter,
  { signal }: Context,
): Promise<void> {
  const { attributes, scalars, wholes, items } = content;
  const clock = clockArrays(content);
  await writer.begin(
    [...scalars, ...clock.map(({ spec }) => spec), ...wholes.map(({ spec }) => spec), ...items.map(({ spec }) => spec)],
    attributes,
  );
  for (const { spec, values } of [...clock, ...wholes]) await writer.whole(spec, values);
  const columns = items.map(({ spec }) => new Column(writer, spec));
  for await (const { values } of series.chunks()) {
    signal.throwIfAborted();
    for (const [n, column] of columns.entries()) await column.add(values[n]! as StoredValues);
  }
  for (const column of columns) await column.end();
  await writer.finish();
}

class Column {
  readonly #writer: ArrayWriter;
  readonly #spec: ArraySpec;
  #buffer: StoredValues;
  #held = 0;
  #number = 0;

  constructor(writer: ArrayWriter, spec: ArraySpec) {
    this.#writer = writer;
    this.#spec = spec;
    this.#buffer = this.#empty();
  }

  #empty(): StoredValues {
    return newValues(this.#spec.type, this.#spec.chunks[0]!).fill(this.#spec.fill as never);
  }

  async add(values: StoredValues): Promise<void> {
    for (let at = 0; at < values.length; ) {
      const count = Math.min(values.length - at, this.#buffer.length - this.#held);
      this.#buffer.set(values.subarray(at, at + count) as never, this.#held);
      this.#held += count;
      at += count;
      if (this.#held === this.#buffer.length) await this.end();
    }
  }

  async end(): Promise<void> {
    if (this.#held === 0) return;
    await this.#writer.chunk(this.#spec.name, [this.#number++], this.#buffer, this.#spec.fill);
    this.#buffer = this.#empty();
    this.#held = 0;
  }
}
