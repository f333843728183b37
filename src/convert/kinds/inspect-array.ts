import { ItemTally } from '../../data/item-statistics.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { stepsOf } from '../../data/time-axis.ts';
import type { Inspection } from '../inspection.ts';
import { arrayPng, chooseArray } from './array-picture.ts';
import type { InspectKind } from './handler.ts';
import { inspectItems, inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';

/** Reads every item once, that of the picture again; step by step and index by index of its slowest dimension. */
export async function inspectArray(
  array: MultiArray,
  inspection: Inspection,
  { picture, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const chosen = picture && chooseArray(array, picture);
  const { items, axes, time, crs } = array;
  const tally = new ItemTally(items, true);
  for (const [n, item] of items.entries()) {
    const [slowest = 1, ...rest] = item.axes.map((axis) => axes[axis]!.values.length);
    const scalar = item.axes.length === 0;
    for (let step = 0; step < (item.overTime ? stepsOf(array) : 1); step++)
      for (let first = 0; first < slowest; first++) {
        signal.throwIfAborted();
        const [start, shape] = scalar
          ? [[], []]
          : [
              [first, ...rest.map(() => 0)],
              [1, ...rest],
            ];
        tally.add(n, step * slowest + first, await array.read(n, step, start, shape), item);
      }
  }
  await inspectPlace(inspection, crs, undefined);
  Object.assign(inspection, {
    dimensions: axes.map(({ name, unit, values }) => ({
      name,
      ...(unit === undefined ? {} : { unit }),
      length: values.length,
      ...(values.length === 0 ? {} : { first: values[0], last: values.at(-1) }),
    })),
    ...(time === undefined ? {} : { time: inspectTime(time) }),
    items: inspectItems(items, tally.of(array)),
  });
  return chosen && arrayPng(array, chosen);
}
