import type { Crs } from '../../../data/crs-reference.ts';
import { defined } from '../../../data/defined.ts';
import type { Axis } from '../../../data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../../data/multi-array.ts';
import { stepCount } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import { arrayOf } from '../value-array.ts';
import { cornerArrays } from './array-content.ts';
import { axisOfDescription } from './axes.ts';
import type { ArrayDescription } from './description.ts';
import { itemOfDescription } from './items.ts';
import type { ArrayStore, OpenedStore } from './opened.ts';
import { checkShape } from './read-grid.ts';
import { originOf } from './read-origin.ts';
import { TIME, timeOfDescription } from './time.ts';

/** A multidimensional array that the writer has described. */
export async function readDescribedArray(
  description: ArrayDescription,
  store: ArrayStore,
): Promise<OpenedStore<MultiArray>> {
  const { crs } = description;
  const time = description.time && (await timeOfDescription(description.time, () => store.array(TIME)));
  const axes: Axis[] = [];
  for (const axis of description.axes) axes.push(await axisOfDescription(axis, store));
  const arrays = description.items.map(({ array }) => store.array(array));
  const items = description.items.map(({ axes: numbers, overTime, ...item }, n): ArrayItem => {
    const lengths = numbers.map((axis) => lengthOf(axes, axis));
    checkShape(arrays[n]!, [...(overTime && time !== undefined ? [stepCount(time)] : []), ...lengths]);
    return { ...itemOfDescription(item, arrays[n]!.metadata.type), axes: numbers, overTime };
  });
  const placement = await placementOf(description, axes, store);
  const origin = originOf(description, crs as Crs | undefined, axes);
  const head = defined({ crs, axes, placement, items, time, origin }) as Omit<MultiArray, 'kind' | 'read'>;
  return { data: arrayOf(head, arrays), arrays };
}

function lengthOf(axes: readonly Axis[], axis: number): number {
  const found = axes[axis];
  if (found === undefined) throw new FormatError(`An item has the axis ${axis}, but there are ${axes.length} axes.`);
  return found.values.length;
}

async function placementOf(
  { placement }: ArrayDescription,
  axes: readonly Axis[],
  store: ArrayStore,
): Promise<Placement | undefined> {
  if (placement === undefined) return undefined;
  const shape = [lengthOf(axes, placement.y) + 1, lengthOf(axes, placement.x) + 1];
  if (placement.by === 'affine') return placement;
  const { z, ...plane } = placement;
  if (z !== undefined) shape.unshift(lengthOf(axes, z) + 1);
  const corners = async (name: string) => Float64Array.from(await store.array(name).all(shape), Number);
  const [nodeX, nodeY] = [await corners(cornerArrays.x), await corners(cornerArrays.y)];
  const space = z === undefined ? undefined : { z, nodeZ: await corners(cornerArrays.z) };
  return defined({ ...plane, nodeX, nodeY, space }) as Placement;
}
