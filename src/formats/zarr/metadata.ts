import { z } from 'zod';
import { product } from '../../data/hyperslab.ts';
import type { StoredType } from '../../data/stored-values.ts';
import { bytesPerValue } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { shown } from '../io/zip.ts';
import { fillOf, parseMetadata, typeOfName } from './types.ts';

/** How the bytes of a chunk are packed, in the order of packing. */
export interface Codecs {
  readonly bigEndian: boolean;
  readonly packed: readonly ('zstd' | 'gzip')[];
}

/** A Zarr array as its metadata describe it. */
export interface ArrayMetadata {
  readonly name: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly dimensions: readonly (string | undefined)[];
  readonly fill: number | bigint;
  readonly codecs: Codecs;
  /** Key of a chunk behind the name of the array. */
  readonly key: (index: readonly number[]) => string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const lengths = z.array(z.int().min(0)).max(32);
const named = z.object({ name: z.string(), configuration: z.record(z.string(), z.unknown()).optional() });
const extension = z.union([z.string().transform((name) => ({ name, configuration: undefined })), named]);
const attributes = z.record(z.string(), z.unknown()).default({});

const Group = z.object({ zarr_format: z.literal(3), node_type: z.literal('group'), attributes });
const ArrayNode = z.object({
  zarr_format: z.literal(3),
  node_type: z.literal('array'),
  shape: lengths,
  data_type: z.unknown(),
  chunk_grid: z.object({ name: z.literal('regular'), configuration: z.object({ chunk_shape: lengths }) }),
  chunk_key_encoding: z.object({
    name: z.enum(['default', 'v2']),
    configuration: z.object({ separator: z.enum(['/', '.']).optional() }).optional(),
  }),
  fill_value: z.unknown(),
  codecs: z.array(extension).min(1),
  attributes,
  dimension_names: z.array(z.string().nullable()).nullish(),
});

/** Chunks are decoded in memory. */
const largestChunk = 1 << 28;

function parsed<T extends z.ZodType>(schema: T, text: string, path: string): z.output<T> {
  let content: unknown;
  try {
    content = parseMetadata(text);
  } catch {
    throw new FormatError(`'${shown(path)}' in the zip is not JSON.`);
  }
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new FormatError(
    `'${shown(path)}' in the zip is not valid metadata of Zarr 3: ${issue!.path.join('.')}: ${issue!.message}.`,
  );
}

export const groupAttributes = (text: string, path: string): Readonly<Record<string, unknown>> =>
  parsed(Group, text, path).attributes;

/**
 * The metadata of an array.
 * @throws FormatError if they are not valid, or name a type or codec that is not supported
 */
export function arrayMetadata(text: string, name: string): ArrayMetadata {
  const path = `${name}/zarr.json`;
  const given = parsed(ArrayNode, text, path);
  const label = `The array '${shown(name)}'`;
  const type = typeof given.data_type === 'string' ? typeOfName(given.data_type) : undefined;
  if (type === undefined)
    throw new FormatError(
      `${label} has the data type ${JSON.stringify(given.data_type)?.slice(0, 80)}, which is not supported. Integers and floats of 32 and 64 bits are, and smaller integers.`,
    );
  const { shape } = given;
  const chunks = given.chunk_grid.configuration.chunk_shape;
  if (chunks.length !== shape.length || chunks.some((length) => length < 1))
    throw new FormatError(`${label} has the shape ${shape.join(' × ')} and chunks of ${chunks.join(' × ')}.`);
  if (!Number.isSafeInteger(product(shape) * 8) || !(product(chunks) * bytesPerValue(type) <= largestChunk))
    throw new FormatError(
      `${label} has the shape ${shape.join(' × ')} and chunks of ${chunks.join(' × ')} values; a chunk may have ${largestChunk} bytes.`,
    );
  const names = given.dimension_names ?? shape.map(() => null);
  if (names.length !== shape.length)
    throw new FormatError(`${label} has ${shape.length} dimensions and ${names.length} names of dimensions.`);
  const fill = fillOf(type, given.fill_value);
  if (fill === undefined)
    throw new FormatError(`${label} has the fill value ${String(given.fill_value).slice(0, 80)}, not of its type.`);
  return {
    name,
    type,
    shape,
    chunks,
    dimensions: names.map((one) => one ?? undefined),
    fill,
    codecs: codecsOf(given.codecs, label),
    key: keysOf(given.chunk_key_encoding),
    attributes: given.attributes,
  };
}

function keysOf({ name, configuration }: z.output<typeof ArrayNode>['chunk_key_encoding']): ArrayMetadata['key'] {
  const separator = configuration?.separator ?? (name === 'v2' ? '.' : '/');
  if (name === 'v2') return (index) => (index.length === 0 ? '0' : index.join(separator));
  return (index) => ['c', ...index].join(separator);
}

/** Codecs that programs use besides, with what to do about them. */
const known: Readonly<Record<string, string>> = {
  sharding_indexed: ' Write the array without shards.',
  transpose: ' Write the array in the order of its dimensions.',
  blosc: ' Write it with the codec zstd.',
};

function codecsOf(given: z.output<typeof ArrayNode>['codecs'], label: string): Codecs {
  const [first, ...others] = given;
  const unsupported = first!.name !== 'bytes' ? first : others.find(({ name }) => name !== 'zstd' && name !== 'gzip');
  if (unsupported !== undefined)
    throw new FormatError(
      `${label} has the codec '${shown(unsupported.name)}', which is not supported. Supported are bytes, zstd and gzip.${known[unsupported.name] ?? ''}`,
    );
  const endian = first!.configuration?.endian;
  return { bigEndian: endian === 'big', packed: others.map(({ name }) => name as 'zstd' | 'gzip') };
}
