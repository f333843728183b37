import { endianness } from 'node:os';
import { bytesOfValues, type StoredValues } from '../../../data/stored-values.ts';

/** Turns big-endian values into those of this machine and back, in place. */
export function swapped<V extends StoredValues>(values: V): V {
  if (endianness() === 'BE' || values.BYTES_PER_ELEMENT === 1) return values;
  const { buffer, byteOffset, byteLength } = bytesOfValues(values);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (values.BYTES_PER_ELEMENT === 2) bytes.swap16();
  else if (values.BYTES_PER_ELEMENT === 4) bytes.swap32();
  else bytes.swap64();
  return values;
}
