import { Box } from '../../data/box.ts';
import { ItemTally } from '../../data/item-statistics.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { boxGeometry } from '../../geo/vector/outline.ts';
import type { GridGeometry } from '../../geo/warp/image-transformer.ts';
import type { Inspection } from '../inspection.ts';
import { arrayPng, chooseArray } from './array-picture.ts';
import type { InspectKind } from './handler.ts';
import { inspectItems, inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';

/**
 * Reads every item once if statistics are asked for, that of the picture again; step by step and index by index of its
 * slowest dimension.
 */
export async function inspectArray(
  array: MultiArray,
  inspection: Inspection,
  { picture, statistics = true, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const chosen = picture && chooseArray(array, picture);
  const { items, axes, time, crs } = array;
  const tally = statistics ? new ItemTally(items, true) : undefined;
  for (const [n, item] of tally ? items.entries() : []) {
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
        tally!.add(n, step * slowest + first, await array.read(n, step, start, shape), item);
      }
  }
  await inspectPlace(inspection, crs, geometryOf(array));
  Object.assign(inspection, {
    dimensions: axes.map(({ name, unit, values }) => ({
      name,
      ...(unit === undefined ? {} : { unit }),
      length: values.length,
      ...(values.length === 0 ? {} : { first: values[0], last: values.at(-1) }),
    })),
    ...(time === undefined ? {} : { time: inspectTime(time) }),
    items: inspectItems(items, tally?.of(array)),
  });
  return chosen && arrayPng(array, chosen);
}

function geometryOf({ placement, axes }: MultiArray): GridGeometry | undefined {
  if (placement === undefined) return undefined;
  if (placement.by === 'affine') {
    const [width, height] = [axes[placement.x]!.values.length, axes[placement.y]!.values.length];
    return { width, height, affine: placement.affine };
  }
  const box = new Box();
  box.addPoints(placement.nodeX, placement.nodeY);
  const { west, south, east, north } = box;
  return west <= east ? boxGeometry(west, south, east, north) : undefined;
}
