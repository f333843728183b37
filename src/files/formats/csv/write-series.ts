import type { ByteSink } from '../../data/bytes.ts';
import { microClockText } from '../../data/date-text.ts';
import { UNDEFINED_ITEM } from '../../data/eum/eum.ts';
import type { ExactIntegers, Item, Samples } from '../../data/item.ts';
import type { Series } from '../../data/series.ts';
import { MILLISECONDS } from '../../data/time-axis.ts';
import type { Context } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { distinctNames } from '../io/distinct-names.ts';
import { longestNumber } from '../io/number-text.ts';
import { putSingle } from '../io/single-text.ts';
import { comma, endRow, putByte, putNumber, putText } from './put-cell.ts';

export async function writeSeries(series: Series, sink: ByteSink, context: Context): Promise<void> {
  const { items, time } = series;
  report(series, context);
  const out = new BufferedWriter(sink);
  const names = items.map(({ name, unit }, n) => `${name ?? `Item ${n + 1}`}${unit === undefined ? '' : ` [${unit}]`}`);
  for (const [n, name] of distinctNames(['time', ...names]).entries()) {
    if (n > 0) putByte(out, comma);
    putText(out, name);
  }
  endRow(out);
  const unit = MILLISECONDS[time.unit];
  for await (const { offsets, values } of series.chunks()) {
    context.signal.throwIfAborted();
    for (let step = 0; step < offsets.length; step++) {
      out.text(microClockText((time.start ?? 0) + offsets[step]! * unit));
      for (const [n, column] of values.entries()) {
        putByte(out, comma);
        putSample(out, column, step, items[n]!);
      }
      endRow(out);
    }
    await out.drain();
  }
  await out.end();
}

function report({ crs, items, time }: Series, { reportLoss }: Context): void {
  if (time.start === undefined) reportLoss('Times relative to a start count from 1970-01-01T00:00:00.', 'times');
  if (items.some(({ valueKind }) => valueKind !== undefined && valueKind !== 'instantaneous'))
    reportLoss('A CSV file does not store whether values are instantaneous, accumulated or means.', 'valueKinds');
  if (items.some(({ eum }) => eum !== undefined && eum.item !== UNDEFINED_ITEM))
    reportLoss(
      'A CSV file does not store the EUM quantities of items; it has the symbols of their units.',
      'quantities',
    );
  if (items.some(({ type }) => type !== undefined && type !== 'Float64'))
    reportLoss('A CSV file does not store the types of numbers.');
  if (items.some(({ position, reference }) => position !== undefined || reference !== undefined))
    reportLoss('A CSV file does not store the positions of series.');
  if (crs !== undefined) reportLoss('A CSV file of series does not store the coordinate system.', 'crs');
}

function putSample(out: BufferedWriter, column: Samples | ExactIntegers, step: number, item: Item): void {
  const sample = column[step]!;
  if (typeof sample === 'bigint') {
    if (sample !== (item.exactNodata ?? (item.nodata === undefined ? undefined : BigInt(Math.trunc(item.nodata)))))
      out.text(String(sample));
    return;
  }
  const isSingle = column instanceof Float32Array;
  const { nodata, scale = 1, offset = 0 } = item;
  if (Number.isNaN(sample) || sample === (isSingle && nodata !== undefined ? Math.fround(nodata) : nodata)) return;
  const value = sample * scale + offset;
  if (!isSingle || scale !== 1 || offset !== 0 || !Number.isFinite(value)) {
    putNumber(out, value);
    return;
  }
  out.reserve(longestNumber);
  out.at = putSingle(out.bytes, out.at, value);
}
