import type { ByteSource } from '../../data/bytes.ts';
import { product } from '../../data/hyperslab.ts';
import { bytesPerValue, type StoredType, type StoredValues } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { shown, type ZipEntry } from '../io/zip.ts';
import { readEntry } from '../io/zip-entry.ts';
import { undoSteps } from './array-steps.ts';
import { mostPacked, type Speed, undoByteSteps } from './byte-steps.ts';
import { type Codecs, storedLength } from './codecs.ts';
import { valuesOf } from './data-type.ts';

/** Encoding of the chunks of an array. */
export interface ChunkForm {
  readonly type: StoredType;
  readonly codecs: Codecs;
  /** Lengths of a chunk. */
  readonly shape: readonly number[];
}

/**
 * Reads and decodes a chunk, which may keep the memory that the source gave.
 * @param how at once, or in the thread pool
 * @throws FormatError
 */
export async function decodedChunk(
  source: ByteSource,
  entry: ZipEntry,
  form: ChunkForm,
  how: Speed,
): Promise<StoredValues> {
  const length = storedLength(form.codecs, form.shape);
  const bytes = await readEntry(source, entry, mostPacked(length));
  if (bytes === undefined)
    throw new FormatError(`'${shown(entry.name)}' has ${entry.size} bytes for a chunk of ${length}.`, entry.offset);
  return decodedBytes(bytes, entry, form, how);
}

/**
 * Decodes the bytes of a chunk, or of a chunk within a shard.
 * @throws FormatError that names the entry
 */
export async function decodedBytes(
  packed: Buffer,
  entry: ZipEntry,
  { codecs, shape }: ChunkForm,
  how: Speed,
): Promise<StoredValues> {
  const length = storedLength(codecs, shape);
  let bytes: Buffer;
  try {
    bytes = await undoByteSteps(packed, codecs.byteSteps, { length, how });
  } catch {
    throw new FormatError(`'${shown(entry.name)}' cannot be decompressed to a chunk of ${length} bytes.`, entry.offset);
  }
  if (bytes.length !== length)
    throw new FormatError(
      `'${shown(entry.name)}' holds a chunk of ${bytes.length} bytes instead of ${length}.`,
      entry.offset,
    );
  return undoSteps(valuesOf(bytes, codecs.stored), codecs.arraySteps);
}

/** Bytes of a decoded chunk. */
export const decodedLength = ({ type, shape }: Pick<ChunkForm, 'type' | 'shape'>): number =>
  product(shape) * bytesPerValue(type);
