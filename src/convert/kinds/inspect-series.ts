import { ItemTally } from '../../data/item-statistics.ts';
import type { Series } from '../../data/series.ts';
import type { Inspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectItems, inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';

/** Reads all steps once. */
export async function inspectSeries(
  series: Series,
  inspection: Inspection,
  { signal }: InspectKind,
): Promise<undefined> {
  const { items, time, crs } = series;
  const tally = new ItemTally(items, true);
  for await (const { firstStep, values } of series.chunks()) {
    signal.throwIfAborted();
    for (const [item, column] of values.entries()) tally.add(item, firstStep, column, items[item]!);
  }
  await inspectPlace(inspection, crs, undefined);
  Object.assign(inspection, {
    ...(time.spacing === 'pulled' ? {} : { time: inspectTime(time) }),
    items: inspectItems(items, tally.of(series)),
  });
}
