import { joinTimes } from '../../data/join-times.ts';
import type { Series } from '../../data/series.ts';
import { offsetOf, stepCount } from '../../data/time-axis.ts';
import { convertValues, matchItems } from './join-items.ts';

/** Appends the steps of the input to the time series of a dataset. Both must have series with the same names. */
export async function joinSeries(present: Series, added: Series): Promise<Series> {
  const items = matchItems(present.items, added.items);
  const time = joinTimes(present.time, added.time);
  return {
    ...present,
    time,
    ...(present.origin === undefined ? {} : { origin: { ...present.origin, changed: true } }),
    async *chunks() {
      yield* present.chunks();
      const before = present.time.spacing === 'pulled' ? 0 : stepCount(present.time);
      for await (const { firstStep, offsets, values } of added.chunks()) {
        const first = before + firstStep;
        yield {
          firstStep: first,
          offsets: Float64Array.from(offsets, (_, n) => offsetOf(time, first + n)),
          values: items.map((item, n) => convertValues(values[item]!, added.items[item]!, present.items[n]!)),
        };
      }
    },
  };
}
