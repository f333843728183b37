import { pooledSamples } from '../../data/buffer-pool.ts';
import type { Band, RowBlock } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { commonType, convertSamples, isFloat, sampleArrays, sampleTypeOf } from '../../data/samples.ts';

/** Sample types of a GeoTIFF: those of grids, and 64-bit integers. */
export type StoredType = SampleType | 'Int64' | 'UInt64';
export type StoredSamples = Samples | BigInt64Array | BigUint64Array;

type StoredArray = (new (
  length: number,
) => StoredSamples) & {
  readonly BYTES_PER_ELEMENT: number;
};

export const storedArrays: Readonly<Record<StoredType, StoredArray>> = {
  ...sampleArrays,
  Int64: BigInt64Array,
  UInt64: BigUint64Array,
};

export const isFloatType = (type: StoredType): boolean => type !== 'Int64' && type !== 'UInt64' && isFloat(type);

/** The common sample type of all bands. `samples` decide about a band without declared type. */
export function storedType(bands: readonly Band[], samples: Samples): StoredType {
  const [first] = bands;
  if (first?.integer64 !== undefined && bands.every((band) => band.integer64 === first.integer64))
    return first.integer64;
  return commonType(bands.map((band) => band.type ?? sampleTypeOf(samples)));
}

/** The samples of a block in the sample type of the file. */
export function storedSamples({ samples, exact }: RowBlock, type: StoredType): StoredSamples {
  if (type !== 'Int64' && type !== 'UInt64') return convertSamples(samples, type);
  if (exact !== undefined) return exact;
  const integers = type === 'Int64' ? new BigInt64Array(samples.length) : new BigUint64Array(samples.length);
  for (let i = 0; i < samples.length; i++) integers[i] = BigInt(samples[i]!);
  return integers;
}

export const storedBytes = (samples: StoredSamples): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

/** Allocates samples without clearing them. */
export const spareStored = (type: StoredType, length: number): StoredSamples =>
  type === 'Int64' || type === 'UInt64' ? new storedArrays[type](length) : pooledSamples(type, length);

/** Fills an array of numbers or bigints with a value of either type. */
export function fill(array: StoredSamples, value: number | bigint): void {
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) array.fill(BigInt(value));
  else array.fill(Number(value));
}

export function filled(type: StoredType, length: number, value: number | bigint): StoredSamples {
  const array = new storedArrays[type](length);
  fill(array, value);
  return array;
}

export function copyInto(to: StoredSamples, from: StoredSamples, at: number): void {
  (to as { set(from: StoredSamples, at: number): void }).set(from, at);
}
