import { defined } from '../../../data/defined.ts';
import { isFloat } from '../../../data/samples.ts';
import type { Series } from '../../../data/series.ts';
import { newValues, type StoredValues } from '../../../data/stored-values.ts';
import { stepCount } from '../../../data/time-axis.ts';
import type { KnownCrs } from '../../../geo/crs/crs.ts';
import type { Context } from '../../define.ts';
import { type ItemArray, itemShape, type StoreContent, type WholeArray, wholeArray } from '../../io/store/content.ts';
import { CRS, coordinateAttributes, known } from '../../io/store/crs.ts';
import { ATTRIBUTE } from '../../io/store/description.ts';
import { ArrayNames, describedItem, itemAttributes, storedItem } from '../../io/store/items.ts';
import { numberText } from '../../io/store/json-number.ts';
import { stationNames as names, netCdfNaming } from '../../io/store/naming.ts';
import { titleAttribute } from '../../io/store/source-file.ts';
import { TIME, timeArray } from '../../io/store/time.ts';
import { boundsOf, cfSpec, fileAttributes, knownTime } from './content.ts';
import { seriesDescription, seriesMapping } from './series.ts';
import { SpooledSeries } from './spooled-series.ts';
import { planStations, type StationPlan } from './stations.ts';

export const havePlaces = ({ items }: Series): boolean => items.some(({ position }) => position !== undefined);

/**
 * Series with places as a contiguous ragged array of CF: the observations of the stations follow each other, and
 * `row_size` counts those of each.
 */
export async function raggedContent(series: Series, context: Context): Promise<StoreContent> {
  const { items, crs } = series;
  const time = await knownTime(series, context.signal);
  const system = await known(crs);
  const plan = planStations(items);
  const { stations, variables, places } = plan;
  const claimed = new ArrayNames([CRS, TIME], netCdfNaming);
  const arrays = variables.map(({ name }) => claimed.claim(name ?? 'Value'));
  const stored = variables.map((variable) => storedItem(variable, { exact: true }));
  const steps = stepCount(time);
  const types = places.map(({ variable }) => stored[variable]!.type);
  const spooled = await SpooledSeries.of(series, types, steps, context);
  const description = seriesDescription(
    series,
    time,
    items.map((item, n) =>
      defined({
        ...describedItem(item, arrays[places[n]!.variable]!),
        position: item.position?.map((value) => numberText(value)),
        station: places[n]!.station,
      }),
    ),
  );
  const total = stations.length * steps;
  const coordinates = placesOf(plan, system);
  const named = [TIME, ...coordinates.map(({ spec }) => spec.name), names.name].join(' ');
  const { spec: clock, values: times } = timeArray(time);
  const bounds = boundsOf(time, items);
  const repeated = (whole: WholeArray, more: readonly [string, number][] = []): ItemArray => {
    const { name, type, fill, attributes } = whole.spec;
    const dimensions = [names.observation, ...more.map(([dimension]) => dimension)];
    return {
      spec: {
        name,
        ...itemShape(undefined, type, dimensions, [total, ...more.map(([, length]) => length)]),
        fill,
        attributes,
      },
      timed: false,
      *values() {
        for (const _ of stations) yield whole.values;
      },
    };
  };
  const timeAttributes = { ...clock.attributes, ...(bounds === undefined ? {} : { bounds: bounds.spec.name }) };
  return {
    attributes: fileAttributes(
      { featureType: 'timeSeries', ...titleAttribute(description.source), [ATTRIBUTE]: description },
      context,
    ),
    time: undefined,
    scalars: await seriesMapping(system),
    wholes: [stationNames(plan), countsOf(stations.length, steps), ...coordinates],
    items: [
      repeated({ spec: { ...clock, attributes: timeAttributes }, values: times }),
      ...(bounds === undefined ? [] : [repeated(bounds, [['bound', 2]])]),
      ...variables.map((variable, n): ItemArray => {
        const { type, fill } = stored[n]!;
        const itemAt = stations.map((_, station) =>
          places.findIndex((place) => place.station === station && place.variable === n),
        );
        const own = itemAttributes(variable, type, fill);
        const attributes = {
          ...own,
          ...(own._FillValue === undefined && isFloat(type) && itemAt.includes(-1) ? { _FillValue: fill } : {}),
          coordinates: named,
          ...(system === undefined ? {} : { grid_mapping: CRS }),
        };
        const spec = {
          name: arrays[n]!,
          ...itemShape(undefined, type, [names.observation], [total]),
          fill,
          attributes,
        };
        return {
          spec: cfSpec(spec),
          timed: false,
          async *values() {
            for (const item of itemAt)
              if (item >= 0) yield* spooled.values(item);
              else yield newValues(type, steps).fill(fill as never) as StoredValues;
          },
        };
      }),
    ],
  };
}

function countsOf(stations: number, steps: number): WholeArray {
  return wholeArray(names.counts, 'Int32', new Int32Array(stations).fill(steps), {
    dimensions: [names.station],
    shape: [stations],
    attributes: { long_name: 'number of observations of the station', sample_dimension: names.observation },
  });
}

/** Names of the stations, padded with zeros. */
function stationNames({ stations }: StationPlan): WholeArray {
  const texts = stations.map(({ name }) => Buffer.from(name));
  const length = Math.max(1, ...texts.map((text) => text.length));
  const values = new Uint8Array(texts.length * length);
  for (const [n, text] of texts.entries()) values.set(text, n * length);
  const { spec } = wholeArray(names.name, 'UInt8', values, {
    dimensions: [names.station, 'name_length'],
    shape: [texts.length, length],
    attributes: { cf_role: 'timeseries_id', long_name: 'station', _Encoding: 'utf-8' },
  });
  return { spec: { ...spec, characters: true }, values };
}

/** Longitudes and latitudes, or x and y in the coordinate system, and heights if there are some. */
function placesOf({ stations }: StationPlan, system: KnownCrs | undefined): WholeArray[] {
  const geographic = system?.geographic === true;
  const along = (axis: 0 | 1 | 2, name: string, attributes: Record<string, unknown>): WholeArray => {
    const values = Float64Array.from(stations, ({ position }) => position?.[axis] ?? Number.NaN);
    return wholeArray(name, 'Float64', values, {
      dimensions: [names.station],
      shape: [stations.length],
      attributes: { ...attributes, ...(values.some(Number.isNaN) ? { _FillValue: Number.NaN } : {}) },
    });
  };
  const onMap = (axis: 'x' | 'y') => {
    const { axis: letter, ...attributes } = coordinateAttributes(axis, system);
    return { ...attributes, ...(system === undefined ? { axis: letter, long_name: `${axis} of the station` } : {}) };
  };
  const all = [
    along(0, geographic ? names.longitude : names.x, onMap('x')),
    along(1, geographic ? names.latitude : names.y, onMap('y')),
  ];
  if (stations.some(({ position }) => position?.[2] !== undefined))
    all.push(
      along(2, names.altitude, {
        standard_name: 'altitude',
        long_name: 'height of the station',
        units: 'm',
        positive: 'up',
        axis: 'Z',
      }),
    );
  return all.map(({ spec, values }) => ({ spec: system === undefined ? spec : cfSpec(spec), values }));
}
