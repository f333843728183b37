import type { ExactIntegers, Samples, SampleType } from './item.ts';
import { sampleArrays } from './samples.ts';

/** Types of numbers of an array in a file: those of samples, and 64-bit integers. */
export type StoredType = SampleType | 'Int64' | 'UInt64';
export type StoredValues = Samples | ExactIntegers;

type ValuesArray = (new (
  length: number,
) => StoredValues) & {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): StoredValues;
  readonly BYTES_PER_ELEMENT: number;
};

const valuesArrays: Readonly<Record<StoredType, ValuesArray>> = {
  ...sampleArrays,
  Int64: BigInt64Array as unknown as ValuesArray,
  UInt64: BigUint64Array as unknown as ValuesArray,
};

export const storedTypes = Object.keys(valuesArrays) as StoredType[];

export const bytesPerValue = (type: StoredType): number => valuesArrays[type].BYTES_PER_ELEMENT;

export const isBig = (type: StoredType): type is 'Int64' | 'UInt64' => type === 'Int64' || type === 'UInt64';

export const newValues = (type: StoredType, length: number): StoredValues => new valuesArrays[type](length);

/** In memory that threads share. */
export const sharedValues = (type: StoredType, length: number): StoredValues =>
  new valuesArrays[type](new SharedArrayBuffer(length * bytesPerValue(type)), 0, length);

/** The values in little-endian bytes, whose memory they take. */
export const valuesIn = (type: StoredType, bytes: Uint8Array): StoredValues => {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  return new valuesArrays[type](aligned.buffer, aligned.byteOffset, aligned.length / bytesPerValue(type));
};

/** The values as samples: 64-bit integers as doubles. */
export const asSamples = (values: StoredValues): Samples =>
  values instanceof BigInt64Array || values instanceof BigUint64Array ? Float64Array.from(values, Number) : values;

/** All values of the parts, in order. */
export function joined<A extends StoredValues>(
  array: new (length: number) => A,
  parts: readonly (A | ArrayLike<A[number]>)[],
): A {
  const all = new array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part as never, at);
    at += part.length;
  }
  return all;
}

export const bytesOfValues = ({ buffer, byteOffset, byteLength }: StoredValues): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
