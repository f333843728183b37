import { product } from '../../../data/hyperslab.ts';
import { bytesPerValue, type StoredType, type StoredValues } from '../../../data/stored-values.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** An array to be written. */
export interface ArraySpec {
  readonly name: string;
  readonly type: StoredType;
  readonly dimensions: readonly string[];
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly fill: number | bigint;
  readonly attributes: Attributes;
  /** The bytes are characters in UTF-8; only in NetCDF. */
  readonly characters?: true;
}

/** Writes the arrays of a store: first all metadata, then values in any order. */
export interface ArrayWriter {
  begin(arrays: readonly ArraySpec[], attributes: Attributes): Promise<void>;
  /** Writes all values of an array with chunks of whole rows. */
  whole(spec: ArraySpec, values: StoredValues): Promise<void>;
  /** Writes a chunk, padded with the fill value. */
  chunk(name: string, index: readonly number[], values: StoredValues, fill: number | bigint): Promise<void>;
  finish(): Promise<void>;
}

/** Size of a chunk of an array that is in memory, in bytes. */
const wholeChunk = 1 << 20;
/** The shape of the chunks of an array that is in memory: some of the first dimension, all of the others. */
export function rowChunks(shape: readonly number[], type: StoredType): number[] {
  const [first, ...rest] = shape;
  if (first === undefined) return [];
  const row = Math.max(1, product(rest)) * bytesPerValue(type);
  return [first, ...rest].map((length, d) =>
    Math.max(1, d === 0 ? Math.min(length, Math.max(1, Math.floor(wholeChunk / row))) : length),
  );
}
