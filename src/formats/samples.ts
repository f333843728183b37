import type { Samples, SampleType } from './types.ts';

type SampleArray = (new (
  length: number,
) => Samples) & {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Samples;
  readonly BYTES_PER_ELEMENT: number;
};

export const sampleArrays: Readonly<Record<SampleType, SampleArray>> = {
  Int8: Int8Array,
  UInt8: Uint8Array,
  Int16: Int16Array,
  UInt16: Uint16Array,
  Int32: Int32Array,
  UInt32: Uint32Array,
  Float32: Float32Array,
  Float64: Float64Array,
};

const types = new Map(Object.entries(sampleArrays).map(([type, array]) => [array, type as SampleType]));

export const sampleTypeOf = (samples: Samples): SampleType => types.get(samples.constructor as SampleArray)!;

export const isFloat = (type: SampleType): boolean => type === 'Float32' || type === 'Float64';

/** The same values in another type, which must be able to hold them. */
export function convertSamples(samples: Samples, type: SampleType): Samples {
  if (sampleTypeOf(samples) === type) return samples;
  const converted = new sampleArrays[type](samples.length);
  converted.set(samples);
  return converted;
}

/** The memory of the samples, in the order of bytes of this machine. */
export const bytesOf = (samples: Samples): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

/** Whole numbers that each type holds exactly. */
const ranges: readonly (readonly [SampleType, number, number])[] = [
  ['UInt8', 0, 0xff],
  ['Int8', -0x80, 0x7f],
  ['UInt16', 0, 0xffff],
  ['Int16', -0x8000, 0x7fff],
  ['UInt32', 0, 0xffffffff],
  ['Int32', -0x80000000, 0x7fffffff],
  ['Float32', -0x1000000, 0x1000000],
  ['Float64', -(2 ** 53), 2 ** 53],
];

/** The narrowest type that holds all values of all these types. */
export function commonType(types: readonly SampleType[]): SampleType {
  const float = types.some(isFloat);
  const needed = ranges.filter(([type]) => types.includes(type));
  const least = Math.min(...needed.map(([, lowest]) => lowest));
  const most = Math.max(...needed.map(([, , highest]) => highest));
  const fitting = ranges.find(
    ([type, lowest, highest]) => lowest <= least && highest >= most && (!float || isFloat(type)),
  );
  return fitting![0];
}
