import { ItemTally } from '../../data/item-statistics.ts';
import type { Series } from '../../data/series.ts';
import { ConversionError } from '../../errors.ts';
import { type SeriesRange, seriesPicturePng } from '../../geo/draw/series-picture.ts';
import type { Inspection, TimeInspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectItems, inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';
import { chosenItem, headingOf } from './picture-choice.ts';

/** Reads all steps once if statistics are asked for, or for the range of a picture, and once more for the picture. */
export async function inspectSeries(
  series: Series,
  inspection: Inspection,
  { picture, statistics = true, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  if (picture?.step !== undefined || picture?.layer !== undefined)
    throw new ConversionError(
      'A picture of time series shows all steps and has no layers. Choose only an item to draw.',
    );
  const item = picture?.item === undefined ? undefined : chosenItem(series.items, picture.item);
  const tally = new ItemTally(series.items, true);
  const isRead = statistics || picture !== undefined;
  let [steps, first, last] = [0, Infinity, -Infinity];
  for await (const { firstStep, offsets, values } of isRead ? series.chunks() : []) {
    signal.throwIfAborted();
    for (const [n, all] of values.entries()) tally.add(n, firstStep, all, series.items[n]!);
    steps += offsets.length;
    for (const offset of offsets) {
      first = Math.min(first, offset);
      last = Math.max(last, offset);
    }
  }
  const range: SeriesRange = { steps, first, last };
  await inspectPlace(inspection, series.crs, undefined);
  Object.assign(inspection, {
    // the steps of some files are known only after they were read
    ...(series.time.spacing === 'pulled' && !isRead ? {} : { time: timeOf(series, range) }),
    items: inspectItems(series.items, statistics ? tally.of(series) : undefined),
  });
  if (picture === undefined || steps === 0) return undefined;
  const shown = item === undefined ? series.items.map((_, n) => n) : [item];
  const name = shown.length === 1 ? series.items[shown[0]!]!.name : (inspection.layer ?? 'Time series');
  const { title } = headingOf(name === undefined ? {} : { name }, shown[0] ?? 0, {});
  return seriesPicturePng(series, shown, range, { title }, signal);
}

/** The times of some series are known only after they were read. */
function timeOf({ time }: Series, { steps, first, last }: SeriesRange): TimeInspection {
  if (time.spacing !== 'pulled') return inspectTime(time);
  const read = { ...time, spacing: 'nonEquidistant' as const, offsets: Float64Array.of(first, last) };
  return {
    ...inspectTime(steps === 0 ? { ...read, offsets: new Float64Array() } : read),
    spacing: 'nonEquidistant',
    steps,
  };
}
