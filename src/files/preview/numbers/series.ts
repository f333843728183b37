import type { Series, SeriesItem } from '../../data/series.ts';
import { offsetOf, stepCount } from '../../data/time-axis.ts';
import { RequestError } from '../../errors.ts';
import { integerOf, shortener, valueReader } from './cells.ts';
import { type ItemName, itemName, itemNumber, type PreviewData, refused } from './choose.ts';
import { AllPoints, type Collector, PixelExtremes } from './decimation.ts';
import { type Interval, offsetsWithin, type Times, timesOf } from './times.ts';

export interface SeriesRequest extends Interval {
  /** Ids or names; absent: all, if they are few. */
  readonly items?: readonly string[];
  /** Maximum number of points of an item; absent: 2000. */
  readonly points?: number;
}

export interface SeriesAnswer {
  readonly items: readonly (ItemName & {
    /** How a value relates to its time; absent: instantaneous. */
    readonly valueKind?: NonNullable<SeriesItem['valueKind']>;
    /** In the order of the series. */
    readonly time: Times;
    /** Null: a gap. Integers beyond 2^53 are text. */
    readonly values: (number | string | null)[];
  })[];
  /** Number of rows in the interval; if an item has fewer points, it has the least and greatest of each pixel. */
  readonly rows: number;
}

const mostPoints = 20_000;
const mostItems = 50;
/** Offsets within the interval. */
interface Range {
  readonly low: number;
  readonly high: number;
  readonly rows: number;
}

/**
 * Values of series over an interval: all of them, or the least and the greatest of each pixel if there are more than
 * `points`, with the first and the last.
 * @throws RequestError for a wrong item, time or number of points
 */
export async function series(
  data: PreviewData,
  { items: asked, points = 2000, ...interval }: SeriesRequest,
  throwIfCancelled: () => void,
): Promise<SeriesAnswer> {
  if (data.kind !== 'series') throw refused(data, 'series over time. Ask for values at a point');
  if (!(Number.isInteger(points) && points >= 4 && points <= mostPoints))
    throw new RequestError(`points must be a whole number from 4 to ${mostPoints}, not ${points}.`);
  const items = asked?.map((item) => itemNumber(data.items, item)) ?? [...data.items.keys()];
  if (items.length > mostItems)
    throw new RequestError(
      `The answer would have ${items.length} items; the maximum is ${mostItems}. Name some of them.`,
    );
  const wanted = offsetsWithin(data.time, interval);
  const range = await rangeOf(data, wanted, throwIfCancelled);
  const collectors = items.map((item): Collector => {
    const readValue = valueReader(data.items[item]!);
    if (range.rows <= points) return new AllPoints(readValue);
    return new PixelExtremes(readValue, range, Math.floor(points / 2) - 1);
  });
  if (range.rows > 0)
    for await (const { firstStep, offsets, values } of data.chunks()) {
      throwIfCancelled();
      for (const [from, to] of runsWithin(offsets, wanted))
        for (const [n, collector] of collectors.entries())
          collector.add({ firstRow: firstStep, offsets, values: values[items[n]!]! }, from, to);
    }
  return {
    items: items.map((item, n) => {
      const found = collectors[n]!.points();
      const { valueKind } = data.items[item]!;
      const shorten = shortener(data.items[item]!);
      return {
        ...itemName(data.items, item),
        ...(valueKind === undefined || valueKind === 'instantaneous' ? {} : { valueKind }),
        time: timesOf(
          data.time,
          found.map(({ offset }) => offset),
        ),
        values: found.map(({ value }) => {
          if (value === undefined) return null;
          return typeof value === 'bigint' ? integerOf(value) : shorten(value);
        }),
      };
    }),
    rows: range.rows,
  };
}

/** The rows of an interval. Those of a file of text are not known before it is read. */
async function rangeOf(
  { time, chunks }: Series,
  wanted: { readonly low: number; readonly high: number },
  throwIfCancelled: () => void,
): Promise<Range> {
  let [low, high, rows] = [Infinity, -Infinity, 0];
  const add = (offset: number) => {
    if (!(offset >= wanted.low && offset <= wanted.high)) return;
    rows++;
    if (offset < low) low = offset;
    if (offset > high) high = offset;
  };
  if (time.spacing === 'pulled')
    for await (const { offsets } of chunks()) {
      throwIfCancelled();
      for (const offset of offsets) add(offset);
    }
  else for (let step = 0; step < stepCount(time); step++) add(offsetOf(time, step));
  return { low, high, rows };
}

/** Runs of rows whose offsets lie in the interval. */
function* runsWithin(
  offsets: Float64Array,
  { low, high }: { readonly low: number; readonly high: number },
): Generator<[from: number, to: number]> {
  let from = -1;
  for (let n = 0; n <= offsets.length; n++) {
    const inside = n < offsets.length && offsets[n]! >= low && offsets[n]! <= high;
    if (inside && from < 0) from = n;
    else if (!inside && from >= 0) {
      yield [from, n];
      from = -1;
    }
  }
}
