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
