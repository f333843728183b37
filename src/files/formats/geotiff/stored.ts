import { pooledSamples } from '../../data/buffer-pool.ts';
import type { Band, RowBlock } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { commonType, convertSamples, sampleTypeOf } from '../../data/samples.ts';
import { newValues, type StoredType, type StoredValues } from '../../data/stored-values.ts';

/** The common sample type of all bands. `samples` decide about a band without declared type. */
export function storedType(bands: readonly Band[], samples: Samples): StoredType {
  const [first] = bands;
  if (first?.integer64 !== undefined && bands.every((band) => band.integer64 === first.integer64))
    return first.integer64;
  return commonType(bands.map((band) => band.type ?? sampleTypeOf(samples)));
}

/** The samples of a block in the sample type of the file. */
export function storedSamples({ samples, exact }: RowBlock, type: StoredType): StoredValues {
  if (type !== 'Int64' && type !== 'UInt64') return convertSamples(samples, type);
  if (exact !== undefined) return exact;
  const integers = type === 'Int64' ? new BigInt64Array(samples.length) : new BigUint64Array(samples.length);
  for (let i = 0; i < samples.length; i++) integers[i] = BigInt(samples[i]!);
  return integers;
}

/** Allocates samples without clearing them. */
export const spareStored = (type: StoredType, length: number): StoredValues =>
  type === 'Int64' || type === 'UInt64' ? newValues(type, length) : pooledSamples(type, length);

/** Fills an array of numbers or bigints with a value of either type. */
export function fill(array: StoredValues, value: number | bigint): void {
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) array.fill(BigInt(value));
  else array.fill(Number(value));
}

export function filled(type: StoredType, length: number, value: number | bigint): StoredValues {
  const array = newValues(type, length);
  fill(array, value);
  return array;
}

export function copyInto(to: StoredValues, from: StoredValues, at: number): void {
  (to as { set(from: StoredValues, at: number): void }).set(from, at);
}
