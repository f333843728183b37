import type { Samples, SampleType } from './item.ts';

type SampleArray = (new (
  length: number,
) => Samples) & {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Samples;
  readonly BYTES_PER_ELEMENT: number;
};

/** Sample types from the narrowest to the widest. */
export const sampleArrays: Readonly<Record<SampleType, SampleArray>> = {
  UInt8: Uint8Array,
  Int8: Int8Array,
  UInt16: Uint16Array,
  Int16: Int16Array,
  UInt32: Uint32Array,
  Int32: Int32Array,
  Float32: Float32Array,
  Float64: Float64Array,
};

const types = new Map(Object.entries(sampleArrays).map(([type, array]) => [array, type as SampleType]));

export const sampleTypeOf = (samples: Samples): SampleType => types.get(samples.constructor as SampleArray)!;

export const isFloat = (type: SampleType | 'Int64' | 'UInt64'): boolean => type === 'Float32' || type === 'Float64';

/** Converts samples to a type that can hold all values. */
export function convertSamples(samples: Samples, type: SampleType): Samples {
  if (sampleTypeOf(samples) === type) return samples;
  const converted = new sampleArrays[type](samples.length);
  converted.set(samples);
  return converted;
}

/**
 * Puts the nodata value back into doubles that were widened from single precision, which rounded it, so that it is
 * still recognized.
 * @param from the samples before, as many as there are doubles
 */
export function restoreNodata(widened: Samples, from: Samples, nodata: number | undefined): void {
  if (nodata === undefined || !(from instanceof Float32Array) || !(widened instanceof Float64Array)) return;
  const rounded = Math.fround(nodata);
  if (Object.is(rounded, nodata)) return;
  for (let i = 0; i < from.length; i++) if (from[i] === rounded) widened[i] = nodata;
}

/** The memory of the samples as bytes, in the byte order of this machine. */
export const bytesOf = (samples: Samples): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

/** Range of integers that each type holds exactly. */
const ranges: Readonly<Record<SampleType | 'Int64' | 'UInt64', readonly [number, number]>> = {
  UInt8: [0, 0xff],
  Int8: [-0x80, 0x7f],
  UInt16: [0, 0xffff],
  Int16: [-0x8000, 0x7fff],
  UInt32: [0, 0xffffffff],
  Int32: [-0x80000000, 0x7fffffff],
  Float32: [-0x1000000, 0x1000000],
  Float64: [-(2 ** 53), 2 ** 53],
  Int64: [-(2 ** 63), 2 ** 63],
  UInt64: [0, 2 ** 64],
};

/**
 * A nodata value that the type can hold: the given one, else NaN for floats, −9999 or the lowest value for integers.
 */
export function nodataOf(type: SampleType | 'Int64' | 'UInt64', given: number | undefined): number {
  if (type === 'Float32' || type === 'Float64') return given ?? Number.NaN;
  const [lowest, highest] = ranges[type];
  const fits = (value: number) => Number.isInteger(value) && value >= lowest && value <= highest;
  if (given !== undefined && fits(given)) return given;
  return fits(-9999) ? -9999 : lowest;
}

/** The nearest value that a type of integers can hold. */
export const clampedTo = (type: SampleType | 'Int64' | 'UInt64'): ((value: number) => number) => {
  const [lowest, highest] = ranges[type];
  return (value) => Math.min(highest, Math.max(lowest, value));
};

/** The narrowest type that can hold all values of the given types. */
export function commonType(types: readonly SampleType[]): SampleType {
  const float = types.some(isFloat);
  const least = Math.min(...types.map((type) => ranges[type][0]));
  const most = Math.max(...types.map((type) => ranges[type][1]));
  const all = Object.keys(sampleArrays) as SampleType[];
  return all.find((type) => ranges[type][0] <= least && ranges[type][1] >= most && (!float || isFloat(type)))!;
}
