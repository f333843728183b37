import { z } from 'zod';
import { product } from '../../data/hyperslab.ts';
import { bytesPerValue, type StoredType } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { shown } from '../io/zip.ts';
import { fillOf, parseMetadata, typeOfName } from './types.ts';

export type Packer = 'zstd' | 'gzip' | 'zlib' | 'blosc';

/** How the bytes of a chunk are packed, in the order of packing. */
export interface Codecs {
  readonly bigEndian: boolean;
  readonly packed: readonly Packer[];
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

/** @throws FormatError for a text that is not JSON of this schema */
export function parsed<T extends z.ZodType>(schema: T, text: string, path: string): z.output<T> {
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
    `'${shown(path)}' in the zip is not valid metadata of Zarr: ${issue!.path.join('.')}: ${issue!.message}.`,
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
  checkChunks(label, { shape, chunks, type });
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
    // 0 is the default of programs that mean nothing by it.
    attributes: attributesOfCf(given.attributes, Number(fill) === 0 ? undefined : fill),
  };
}

/** @throws FormatError for chunks that do not fit the array or are too large */
export function checkChunks(
  label: string,
  { shape, chunks, type }: { shape: readonly number[]; chunks: readonly number[]; type: StoredType },
): void {
  if (chunks.length !== shape.length || chunks.some((length) => length < 1))
    throw new FormatError(`${label} has the shape ${shape.join(' × ')} and chunks of ${chunks.join(' × ')}.`);
  if (!Number.isSafeInteger(product(shape) * 8) || !(product(chunks) * bytesPerValue(type) <= largestChunk))
    throw new FormatError(
      `${label} has the shape ${shape.join(' × ')} and chunks of ${chunks.join(' × ')} values; a chunk may have ${largestChunk} bytes.`,
    );
}

/**
 * Attributes as other formats have them: xarray writes floats in base64.
 * @param nodata the fill value, if it means no data unless an attribute names another one
 */
export function attributesOfCf(
  given: Readonly<Record<string, unknown>>,
  nodata: number | bigint | undefined,
): ArrayMetadata['attributes'] {
  const read = Object.fromEntries(
    Object.entries(given).map(([key, value]) =>
      (key === '_FillValue' || key === 'missing_value') &&
      typeof value === 'string' &&
      /^[A-Za-z0-9+/]{11}=$/.test(value)
        ? [key, Buffer.from(value, 'base64').readDoubleLE(0)]
        : [key, value],
    ),
  );
  const named = read._FillValue !== undefined || read.missing_value !== undefined;
  return named || nodata === undefined ? read : { ...read, _FillValue: nodata };
}

function keysOf({ name, configuration }: z.output<typeof ArrayNode>['chunk_key_encoding']): ArrayMetadata['key'] {
  const separator = configuration?.separator ?? (name === 'v2' ? '.' : '/');
  if (name === 'v2') return (index) => (index.length === 0 ? '0' : index.join(separator));
  return (index) => ['c', ...index].join(separator);
}

const packers: readonly Packer[] = ['zstd', 'gzip', 'blosc'];

/** Codecs that programs use besides, with what to do about them. */
const known: Readonly<Record<string, string>> = {
  sharding_indexed: ' Write the array without shards.',
  transpose: ' Write the array in the order of its dimensions.',
};

function codecsOf(given: z.output<typeof ArrayNode>['codecs'], label: string): Codecs {
  const [first, ...others] = given;
  const unsupported =
    first!.name !== 'bytes' ? first : others.find(({ name }) => !(packers as readonly string[]).includes(name));
  if (unsupported !== undefined)
    throw new FormatError(
      `${label} has the codec '${shown(unsupported.name)}', which is not supported. Supported are bytes, zstd, gzip and blosc.${known[unsupported.name] ?? ''}`,
    );
  const endian = first!.configuration?.endian;
  return { bigEndian: endian === 'big', packed: others.map(({ name }) => name as Packer) };
}
