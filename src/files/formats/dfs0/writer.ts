import type { Item } from '../../data/item.ts';
import type { Series } from '../../data/series.ts';
import { joined } from '../../data/stored-values.ts';
import type { TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Write } from '../define.ts';
import { equidistantAxis } from '../io/dfs/axes.ts';
import { copyDfs } from '../io/dfs/copy.ts';
import { DfsWriter } from '../io/dfs/dfs-writer.ts';
import { type DfsProjection, unsetReference } from '../io/dfs/header.ts';
import { newItems } from '../io/dfs/items.ts';
import { newDeleteValues, newHeader } from '../io/dfs/new-header.ts';
import { contentOf, unchangedFile } from '../io/dfs/origin.ts';
import { projectionText } from '../io/dfs/projection.ts';
import { newTime } from '../io/dfs/time.ts';
import type { writeParameters } from './parameters.ts';

export const write: Write<typeof writeParameters, 'series'> = async (series, options, sink, context) => {
  const same = unchangedFile(series, 'dfs0', options);
  if (same !== undefined) {
    // Steps are read also for an unchanged copy, because the receipt's statistics count what is read.
    for await (const _ of series.chunks()) context.signal.throwIfAborted();
    return copyDfs(same, sink, context.signal);
  }
  if (series.items.length === 0)
    throw new ConversionError('The data have no series. A DFS0 file needs at least one item.');
  const axis = await knownAxis(series, context.signal);
  const { time, offsets } = newTime(axis);
  const from = contentOf(series)?.file.header;
  const source = series.origin?.format === 'dfs0' ? from : undefined;
  const unit = source?.items[0]?.axis.unit ?? 0;
  const deleteValues = newDeleteValues(series.items, from);
  const { items, encoders } = newItems(
    series.items.map((item) => ({ ...referenceOf(item.position), ...item })),
    { ...options, deleteValues, keepNaN: from !== undefined, axisOf: () => equidistantAxis([], [], [], unit) },
    context,
  );
  const projection = await makeProjection(series);
  const statisticsType = source?.statisticsType || 2;
  const header = newHeader({ items, time, deleteValues, statisticsType, ...(projection && { projection }) }, from);
  const writer = await DfsWriter.begin(header, sink);
  for await (const { firstStep, values } of series.chunks()) {
    context.signal.throwIfAborted();
    const count = values[0]?.length ?? 0;
    const times = time.equidistant ? new Float64Array(count) : offsets.subarray(firstStep, firstStep + count);
    await writer.addSteps(
      times,
      values.map((column, n) => encoders[n]!.encode(column)),
    );
  }
  await writer.end();
  for (const encoder of encoders) encoder.report(context);
};

/** Series seldom have a coordinate system; their positions are in the items. */
async function makeProjection(series: Series): Promise<DfsProjection | undefined> {
  const from = contentOf(series);
  if (from !== undefined && from.crs === series.crs) return from.file.header.projection;
  if (series.crs === undefined) return undefined;
  return { text: await projectionText(series.crs), longitude: 0, latitude: 0, rotation: 0 };
}

const referenceOf = ([x, y, z]: readonly number[] = []): Pick<Item, 'reference'> =>
  x === undefined || y === undefined ? {} : { reference: [x, y, z ?? unsetReference[2]!, ...unsetReference.slice(3)] };

/** The time axis. If the times come with the values, they are read in a separate pass. */
async function knownAxis({ time, chunks }: Series, signal: AbortSignal): Promise<TimeAxis> {
  if (time.spacing !== 'pulled') return time;
  const parts: Float64Array[] = [];
  for await (const { offsets } of chunks()) {
    signal.throwIfAborted();
    parts.push(offsets);
  }
  return { ...time, spacing: 'nonEquidistant', offsets: joined(Float64Array, parts) };
}
