import { bytesPerValue, type StoredType, type StoredValues } from '../../../data/stored-values.ts';
import { stepsOf, type TimeAxis } from '../../../data/time-axis.ts';
import type { Context } from '../../define.ts';
import { type ArraySpec, type ArrayWriter, type Attributes, rowChunks } from './array-spec.ts';
import { chunkShape } from './chunk-shape.ts';
import { ItemWriter } from './item-writer.ts';
import { TIME, timeArray } from './time.ts';

/** An array of an item over time or not, whose values come in order. */
export interface ItemArray {
  readonly spec: ArraySpec;
  readonly timed: boolean;
  /** All values of a step, the last dimension varying fastest. */
  values(step: number): AsyncIterable<StoredValues> | Iterable<StoredValues>;
}

/** An array in memory. */
export interface WholeArray {
  readonly spec: ArraySpec;
  readonly values: StoredValues;
}

export const wholeArray = (
  name: string,
  type: StoredType,
  values: StoredValues,
  { dimensions, shape, attributes = {} }: { dimensions: string[]; shape: number[]; attributes?: Attributes },
): WholeArray => ({
  spec: {
    name,
    type,
    dimensions,
    shape,
    chunks: rowChunks(shape, type),
    fill: type === 'Float64' || type === 'Float32' ? Number.NaN : 0,
    attributes,
  },
  values,
});

/** Everything of a store. */
export interface StoreContent {
  readonly attributes: Attributes;
  readonly time: TimeAxis | undefined;
  /** Attributes of the times besides those of their axis. */
  readonly timeAttributes?: Attributes;
  /** Arrays without values. */
  readonly scalars: readonly ArraySpec[];
  readonly wholes: readonly WholeArray[];
  readonly items: readonly ItemArray[];
}

/** Type, dimensions and chunks of an array of an item, which has these dimensions at each step, or at all times. */
export function itemShape(
  time: TimeAxis | undefined,
  type: StoredType,
  dimensions: readonly string[],
  lengths: readonly number[],
): Pick<ArraySpec, 'type' | 'dimensions' | 'shape' | 'chunks'> {
  const steps = time === undefined ? undefined : stepsOf({ time });
  return {
    type,
    dimensions: steps === undefined ? dimensions : [TIME, ...dimensions],
    shape: steps === undefined ? lengths : [steps, ...lengths],
    chunks: chunkShape(steps, lengths, bytesPerValue(type)),
  };
}

/** The coordinate variable of time, if there is one. */
export function clockArrays({ time, timeAttributes }: StoreContent): WholeArray[] {
  if (time === undefined) return [];
  const { spec, values } = timeArray(time);
  return [{ spec: { ...spec, attributes: { ...spec.attributes, ...timeAttributes } }, values }];
}

/** Writes the steps of a chunk item by item, so that no more than the steps of one item are in memory at a time. */
export async function writeContent(content: StoreContent, store: ArrayWriter, { signal }: Context): Promise<void> {
  const { attributes, time, scalars, wholes, items } = content;
  const clock = clockArrays(content);
  const arrays = [...scalars, ...clock.map(({ spec }) => spec), ...wholes.map(({ spec }) => spec)];
  await store.begin([...arrays, ...items.map(({ spec }) => spec)], attributes);
  for (const { spec, values } of [...clock, ...wholes]) {
    signal.throwIfAborted();
    await store.whole(spec, values);
  }
  const steps = stepsOf(time === undefined ? {} : { time });
  for (const { spec, timed, values } of items) {
    const writer = new ItemWriter(store, spec, timed);
    for (let step = 0; step < (timed ? steps : 1); step++)
      for await (const part of values(step)) {
        signal.throwIfAborted();
        await writer.add(part);
      }
    await writer.end();
  }
  await store.finish();
}
