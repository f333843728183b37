import { microClockText } from '../data/date-text.ts';
import type { Item } from '../data/item.ts';
import type { MultiArray } from '../data/multi-array.ts';
import { realValues } from '../data/real-values.ts';
import type { Series } from '../data/series.ts';
import { MILLISECONDS, stepCount, stepsOf } from '../data/time-axis.ts';
import { FormatError } from '../errors.ts';
import { extentOf, type GeographicExtent, toGeographic } from '../geo/crs/geographic-extent.ts';
import { bboxMember, itemName, schemeOf, sridMember, stepsMember } from './describe.ts';
import type { PreviewDescription, PreviewItem } from './preview.ts';

/** Values that are read at most for the ranges of the items. */
const MOST_RANGED = 1 << 24;

const noTiles = { tiles: { raster: false, values: false, vector: false }, layers: { count: 1 }, deepest: 0 } as const;

/** Describes an array whose items have no cells on a map. */
export async function describeArray(data: MultiArray): Promise<PreviewDescription> {
  const steps = stepsOf(data);
  const best = Math.max(0, steps - 1);
  let read = 0;
  const items: PreviewItem[] = [];
  for (const [n, item] of data.items.entries()) {
    const shape = item.axes.map((axis) => data.axes[axis]!.values.length);
    const count = shape.reduce((product, length) => product * length, 1);
    const isRead = steps > 0 && read + count <= MOST_RANGED;
    if (isRead) read += count;
    const start = shape.map(() => 0);
    const range = isRead && extremesOf(realValues(await data.read(n, best, start, shape), item));
    items.push({ ...itemOf(item, n), ...range });
  }
  const [first] = items;
  return {
    kind: 'arrays',
    ...sridMember(data.crs),
    items,
    steps: stepsMember(data.time, steps, best),
    scheme: schemeOf('0', data.items[0]?.unit, rangeOfItem(first)),
    ...noTiles,
    reason: 'The values have no cells with a place on a map.',
  };
}

/** Describes series; the times of a text file are known only from its rows. */
export async function describeSeries(data: Series, signal: AbortSignal): Promise<PreviewDescription> {
  const { time } = data;
  let [count, read] = [0, 0];
  const ends: number[] = [];
  const ranges = data.items.map(() => ({ min: Infinity, max: -Infinity }));
  for await (const { offsets, values } of data.chunks()) {
    signal.throwIfAborted();
    if (offsets.length === 0) continue;
    if (count === 0) ends[0] = offsets[0]!;
    ends[1] = offsets.at(-1)!;
    count += offsets.length;
    read += offsets.length * values.length;
    for (const [n, own] of values.entries()) {
      const { min, max } = extremesOf(realValues(own, data.items[n]!));
      const range = ranges[n]!;
      if (min !== undefined && min < range.min) range.min = min;
      if (max !== undefined && max > range.max) range.max = max;
    }
    if (read >= MOST_RANGED && time.spacing !== 'pulled') break;
  }
  const items = data.items.map((item, n): PreviewItem => {
    const range = ranges[n]!;
    return { ...itemOf(item, n), ...(range.min <= range.max && range) };
  });
  const best = (steps: number) => Math.max(0, steps - 1);
  const text = (offset: number | undefined) =>
    offset === undefined ? undefined : microClockText((time.start ?? 0) + offset * MILLISECONDS[time.unit]);
  const [first, last] = ends.map(text);
  return {
    kind: 'series',
    ...sridMember(data.crs),
    ...bboxMember(await extentOfPositions(data)),
    items,
    steps:
      time.spacing === 'pulled'
        ? { count, ...(first && { first }), ...(last && { last }), best: best(count) }
        : stepsMember(time, stepCount(time), best(stepCount(time))),
    scheme: schemeOf('0', data.items[0]?.unit, rangeOfItem(items[0])),
    ...noTiles,
    reason: 'Series have a chart instead of tiles.',
  };
}

const itemOf = (item: Item, n: number): PreviewItem => ({
  id: String(n),
  name: itemName(item, n, 'mesh'),
  ...(item.unit === undefined ? {} : { unit: item.unit }),
});

const rangeOfItem = (item: PreviewItem | undefined) =>
  item?.min === undefined || item.max === undefined
    ? undefined
    : { min: item.min, max: item.max, low: item.min, high: item.max };

function extremesOf(values: Float64Array): { min?: number; max?: number } {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? { min, max } : {};
}

async function extentOfPositions({ crs, items }: Series): Promise<GeographicExtent | undefined> {
  const places = items.flatMap(({ position }) => (position === undefined ? [] : [position]));
  if (crs === undefined || places.length === 0) return undefined;
  const [x, y] = [Float64Array.from(places, ([one]) => one!), Float64Array.from(places, ([, one]) => one!)];
  try {
    await toGeographic(crs, x, y);
  } catch (error) {
    // Of a coordinate system that PROJ does not know.
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
  return extentOf(x, y);
}
