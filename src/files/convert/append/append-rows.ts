import { kindNouns } from '../../data/data.ts';
import { clockText } from '../../data/date-text.ts';
import { ItemTally } from '../../data/item-statistics.ts';
import type { Series, SeriesItem } from '../../data/series.ts';
import { MILLISECONDS, stepCount } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { AppendTargets, SERIES_FORMAT, SeriesContent } from '../../formats/ts/content.ts';
import { isNumeric } from '../../formats/ts/definition.ts';
import { itemOf } from '../../formats/ts/item.ts';
import type { FiledSeries } from '../../formats/ts/series-file.ts';
import type { AppendSession, AppendWork } from '../kinds/handler.ts';
import { listedStatistics } from '../listed-statistics.ts';
import { readExisting } from './existing.ts';

/**
 * Opens a dataset of the time series store to append rows to it. Unlike `openStepAppend`, the output has only what is
 * added. The values of the dataset are read, and must be in its file, only if the request asks for statistics.
 */
export async function openRowAppend(
  { existing, writer, write, steps }: AppendWork,
  context: Context,
): Promise<AppendSession> {
  const there = await readExisting(existing, context);
  const content = there.kind === 'series' ? there.origin?.content : undefined;
  if (there.kind !== 'series' || !(content instanceof SeriesContent))
    throw new Error(`${writer.name} appends to datasets of its own format only.`);
  // nothing of the dataset is written anew, so nothing of it is lost
  content.kept = true;
  const present = content.file.series;
  const calculated = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  const tally = new ItemTally(there.items, true);
  return {
    context,
    async write(added) {
      if (added.kind !== 'series')
        throw new ConversionError(
          `The dataset holds ${kindNouns.series.one}, and the input ${kindNouns[added.kind].one}.`,
        );
      const targets = added.items.map((item) => targetOf(item, present));
      refuseTwice(targets);
      if (calculated) await addExisting(there, tally, context.signal);
      // TSReader gives the series of numbers, in their order
      const read = present.filter(isNumeric);
      const places = targets.map((target) => read.indexOf(target as (typeof read)[number]));
      const before = there.time.spacing === 'pulled' ? 0 : stepCount(there.time);
      await write({
        ...added,
        origin: { format: SERIES_FORMAT, content: new AppendTargets(targets) },
        async *chunks() {
          for await (const chunk of added.chunks()) {
            if (chunk.firstStep === 0) checkOrder(added, chunk.offsets[0], targets);
            if (calculated)
              for (const [n, values] of chunk.values.entries())
                tally.add(places[n]!, before + chunk.firstStep, values, added.items[n]!);
            yield chunk;
          }
        },
      });
    },
    async finish(passed) {
      const after = calculated ? tally.of(there) : passed.statistics.after;
      // of the added rows alone; the dataset's is known from its rows
      const { temporalInformation: _, spatialInformation: __, properties: ___, ...rest } = passed;
      return {
        ...rest,
        appended: {
          present: present.reduce((sum, one) => sum + (one.present?.rows ?? 0), 0),
          added: passed.recordsWritten,
        },
        statistics: { ...passed.statistics, ...(after === undefined ? {} : { after }) },
        ...(calculated && after !== undefined ? { properties: { statistics: listedStatistics(after, true) } } : {}),
      };
    },
  };
}

/**
 * The series that an item adds to, by the name of the item.
 * @throws ConversionError if none or several have the name, or the quantities differ
 */
function targetOf({ name = '', eum }: SeriesItem, present: readonly FiledSeries[]): FiledSeries {
  // the store has names without the blanks around them
  const [target, another] = present.filter(({ item }) => item.name === name.trim());
  if (target === undefined) {
    const names = [...new Set(present.map(({ item }) => `'${item.name.slice(0, 80)}'`))].slice(0, 20);
    throw new ConversionError(
      `The dataset has no series with the item '${name}'; it has ${names.join(', ') || 'no series'}.`,
    );
  }
  if (another !== undefined)
    throw new ConversionError(
      `The dataset has several series with the item '${name}' (${target.id}, ${another.id}), so they cannot be matched.`,
    );
  const { dataType } = target.item;
  if (!isNumeric(target))
    throw new ConversionError(`The series '${name}' of the dataset has values of type ${dataType}, not numbers.`);
  const known = itemOf(target).eum;
  if (eum !== undefined && known !== undefined && (eum.item !== known.item || eum.unit !== known.unit))
    throw new ConversionError(
      `The item '${name}' has EUM item ${known.item} and unit ${known.unit} in the dataset, and ${eum.item} and ${eum.unit} in the input.`,
    );
  return target;
}

function refuseTwice(targets: readonly FiledSeries[]): void {
  const twice = targets.find((one, n) => targets.indexOf(one) !== n);
  if (twice !== undefined)
    throw new ConversionError(`The input has several items '${twice.item.name}', so they cannot be matched.`);
}

/** The steps of the input ascend, so checking the first is enough. */
function checkOrder({ time }: Series, offset: number | undefined, targets: readonly FiledSeries[]): void {
  if (offset === undefined) return;
  const first = (time.start ?? 0) + offset * MILLISECONDS[time.unit];
  for (const { item, present } of targets) {
    const last = present?.last;
    if (last === undefined || BigInt(Math.round(first * 1000)) > last) continue;
    throw new ConversionError(
      `The input has a step at ${clockText(first)}, which is not after ${clockText(Number(last) / 1000)}, the last one of '${item.name}'. Only steps after the last one can be added.`,
    );
  }
}

async function addExisting(series: Series, tally: ItemTally, signal: AbortSignal): Promise<void> {
  for await (const { firstStep, values } of series.chunks()) {
    signal.throwIfAborted();
    for (const [n, all] of values.entries()) tally.add(n, firstStep, all, series.items[n]!);
  }
}
