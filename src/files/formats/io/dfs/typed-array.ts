import type { ByteSource } from '../../../data/bytes.ts';
import type { Samples, SampleType } from '../../../data/item.ts';
import { sampleArrays, sampleTypeOf } from '../../../data/samples.ts';
import { FormatError } from '../../../errors.ts';

/** A typed array of a DFS file, read when it is needed. */
export interface DfsArray {
  readonly type: SampleType;
  readonly count: number;
  load(): Promise<Samples>;
}

/** A typed array in a file; `offset` is that of its first element. */
export interface StoredArray extends DfsArray {
  readonly offset: number;
}

/** Offset of the first element of an array in a file. */
export const offsetOfArray = (array: DfsArray): number | undefined => (array as Partial<StoredArray>).offset;

export const toDfsArray = (samples: Samples): DfsArray => ({
  type: sampleTypeOf(samples),
  count: samples.length,
  load: async () => samples,
});

/** Elements of a typed array that begins at `offset`; the memory belongs to the caller. */
export async function readElements(
  source: ByteSource,
  { type, offset, count }: { type: SampleType; offset: number; count: number },
): Promise<Samples> {
  const array = sampleArrays[type];
  const length = count * array.BYTES_PER_ELEMENT;
  const bytes = await source.read(offset, length);
  if (bytes.length < length)
    throw new FormatError(`The file ends within an array of ${count} ${type} values.`, offset + bytes.length);
  return elementsOf(bytes, type, count);
}

/** The bytes as elements: a view if they are aligned, else a copy. */
export function elementsOf(bytes: Uint8Array, type: SampleType, count: number): Samples {
  const array = sampleArrays[type];
  const aligned = bytes.byteOffset % array.BYTES_PER_ELEMENT === 0 ? bytes : Uint8Array.prototype.slice.call(bytes);
  return new array(aligned.buffer, aligned.byteOffset, count);
}
