import type { Item } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../data/series.ts';
import { offsetOf, stepCount, type TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { type ItemStack, type StackPlan, sameItems, TimeStack } from './stack-plan.ts';

/** Memory in bytes for the values of the steps that are read at once from all files. */
const WINDOW_BYTES = 1 << 26;

/** Series of the files, one after the other by time, or side by side. */
export function stackSeries(first: Series, plan: StackPlan<SeriesItem>): Series {
  const time = plan.time!;
  // values come as numbers, also of 64-bit integers
  const items = plan.items.map(({ integer64: _, exactNodata: __, ...item }) => item);
  const chunks =
    plan instanceof TimeStack ? () => inOrder(plan, time) : () => sideBySide(plan as ItemStack<Item>, time);
  if (plan instanceof TimeStack) filesInOrder(plan);
  return { ...first, items, time, chunks };
}

/**
 * The files in the order of their steps. Series are read from front to back, so the steps of a file must follow each
 * other.
 */
function filesInOrder({ files, steps }: TimeStack<Item>): number[] {
  const order: number[] = [];
  for (const [n, { file, step }] of steps.entries()) {
    const before = steps[n - 1];
    if (before?.file === file && before.step === step - 1) continue;
    if (step !== 0 || order.includes(file))
      throw new ConversionError(
        before === undefined || before.file === file
          ? `${files.name(file)}: Its times do not rise, so its series cannot be stacked.`
          : `${files.name(file)} and ${files.name(before.file)} overlap in time, so their series cannot be stacked.`,
      );
    order.push(file);
  }
  return order;
}

async function* inOrder(plan: TimeStack<Item>, time: TimeAxis): AsyncGenerator<SeriesChunk> {
  let firstStep = 0;
  for (const file of filesInOrder(plan))
    for await (const { steps, values } of plan.files.each(file, 'series', (series) => converted(series, plan, file))) {
      const offsets = Float64Array.from({ length: steps }, (_, n) => offsetOf(time, firstStep + n));
      yield { firstStep, offsets, values };
      firstStep += steps;
    }
}

async function* converted(series: Series, plan: StackPlan<Item>, file: number) {
  const matched = sameItems(plan.items, series.items);
  for await (const { offsets, values } of series.chunks())
    yield {
      steps: offsets.length,
      values: matched.map((from, item) => plan.convert(item, values[from]!, series.items[from]!, file)),
    };
}

/** Reads as many steps of all files as fit into memory, and each file again for the next ones. */
async function* sideBySide(plan: ItemStack<Item>, time: TimeAxis): AsyncGenerator<SeriesChunk> {
  const { files, items, places } = plan;
  const total = stepCount(time);
  const most = Math.max(1, Math.floor(WINDOW_BYTES / (8 * Math.max(1, items.length))));
  const byFile = Map.groupBy(places.keys(), (item) => places[item]!.file);
  for (let firstStep = 0; firstStep < total; firstStep += most) {
    const end = Math.min(total, firstStep + most);
    const values = items.map(({ type = 'Float64' }) => new sampleArrays[type](end - firstStep));
    for (const [file, wanted] of byFile)
      for await (const chunk of files.each(file, 'series', (series) => series.chunks())) {
        if (chunk.firstStep >= end) break;
        const [from, to] = [
          Math.max(firstStep, chunk.firstStep),
          Math.min(end, chunk.firstStep + chunk.offsets.length),
        ];
        if (from >= to) continue;
        for (const item of wanted) {
          const given = chunk.values[places[item]!.item]!.subarray(from - chunk.firstStep, to - chunk.firstStep);
          values[item]!.set(plan.convert(item, given, items[item]!, file), from - firstStep);
        }
      }
    const offsets = Float64Array.from({ length: end - firstStep }, (_, n) => offsetOf(time, firstStep + n));
    yield { firstStep, offsets, values };
  }
}
