import { z } from 'zod';
import { product } from '../../data/hyperslab.ts';
import { bytesPerValue, type StoredType } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import type { ValueArrayMetadata } from '../io/value-array.ts';
import { shown } from '../io/zip.ts';
import { CodecList, type Codecs, type NamedCodec } from './codecs.ts';
import { type DataType, fillOfType, readAs, typeOfVersion3 } from './data-type.ts';
import { indexLength, type Sharding } from './shards.ts';
import { parseMetadata } from './types.ts';

/** A Zarr array as its metadata describe it. The chunks are those that are decoded: those within a shard. */
export interface ArrayMetadata extends ValueArrayMetadata {
  readonly fill: number | bigint;
  readonly codecs: Codecs;
  readonly sharding?: Sharding | undefined;
  /** Key of a chunk or shard behind the name of the array. */
  readonly key: (index: readonly number[]) => string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const lengths = z.array(z.int().min(0)).max(32);
const configuration = z.record(z.string(), z.unknown()).default({});
const codec = z.union([
  z.string().transform((name): NamedCodec => ({ name, configuration: {} })),
  z.object({ name: z.string(), configuration }),
]);
const codecList = z.array(codec).min(1).max(32);
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
  codecs: codecList,
  attributes,
  dimension_names: z.array(z.string().nullable()).nullish(),
});
const Shards = z.object({
  chunk_shape: lengths,
  codecs: codecList,
  index_codecs: codecList,
  index_location: z.enum(['start', 'end']).default('end'),
});

/** Chunks are decoded in memory. */
const largestChunk = 1 << 28;

/** @throws FormatError for a text that is not JSON */
export function jsonOf(text: string, path: string): unknown {
  try {
    return parseMetadata(text);
  } catch {
    throw new FormatError(`'${shown(path)}' in the zip is not JSON.`);
  }
}

/** @throws FormatError for content that is not of this schema */
export function checked<T extends z.ZodType>(schema: T, content: unknown, path: string): z.output<T> {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new FormatError(
    `'${shown(path)}' in the zip is not valid metadata of Zarr: ${issue!.path.join('.')}: ${issue!.message}.`,
  );
}

export const groupAttributes = (content: unknown, path: string): Readonly<Record<string, unknown>> =>
  checked(Group, content, path).attributes;

/**
 * The metadata of an array.
 * @throws FormatError if they are not valid, or name a type or codec that is not supported
 */
export function arrayMetadata(content: unknown, name: string): ArrayMetadata {
  const given = checked(ArrayNode, content, `${name}/zarr.json`);
  const label = `The array '${shown(name)}'`;
  const stored = typeOfVersion3(given.data_type);
  if (stored === undefined) throw unsupportedType(label, given.data_type);
  const type = readAs(stored);
  const { shape } = given;
  const whole = given.chunk_grid.configuration.chunk_shape;
  const { codecs, chunks, sharding } = codecsOf(given.codecs, { label, type: stored, chunks: whole });
  checkChunks(label, { shape, chunks, type });
  const names = given.dimension_names ?? shape.map(() => null);
  if (names.length !== shape.length)
    throw new FormatError(`${label} has ${shape.length} dimensions and ${names.length} names of dimensions.`);
  const fill = fillOfType(stored, given.fill_value);
  if (fill === undefined)
    throw new FormatError(`${label} has the fill value ${String(given.fill_value).slice(0, 80)}, not of its type.`);
  return {
    name,
    type,
    shape,
    chunks,
    dimensions: names.map((one) => one ?? undefined),
    fill,
    codecs,
    sharding,
    key: keysOf(given.chunk_key_encoding),
    // 0 is the default of programs that mean nothing by it.
    attributes: attributesOfCf(withUnits(given.attributes, stored), Number(fill) === 0 ? undefined : fill),
  };
}

export const unsupportedType = (label: string, given: unknown): FormatError =>
  new FormatError(
    `${label} has the data type ${JSON.stringify(given)?.slice(0, 80)}, which is not supported. Integers, floats of 16 to 64 bits, booleans and times are.`,
  );

/** Types of times have units. */
export const withUnits = (given: ArrayMetadata['attributes'], { units }: DataType): ArrayMetadata['attributes'] =>
  units === undefined ? given : { units, ...given };

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

interface ChunkDescription {
  readonly label: string;
  readonly type: DataType;
  readonly chunks: readonly number[];
}

interface CodecsOfArray {
  readonly codecs: Codecs;
  readonly chunks: readonly number[];
  readonly sharding?: Sharding;
}

function codecsOf(given: readonly NamedCodec[], about: ChunkDescription): CodecsOfArray {
  const { label, chunks } = about;
  const [first] = given;
  if (first!.name !== 'sharding_indexed') return { codecs: listOf(given, about), chunks };
  if (given.length > 1)
    throw new FormatError(`${label} has the codec '${shown(given[1]!.name)}' over shards, which is not supported.`);
  const shards = checked(Shards, first!.configuration, `${label}: sharding_indexed`);
  const inner = shards.chunk_shape;
  const fits = inner.length === chunks.length && inner.every((length, d) => length > 0 && chunks[d]! % length === 0);
  if (!fits)
    throw new FormatError(`${label} has shards of ${chunks.join(' × ')} with chunks of ${inner.join(' × ')} values.`);
  const counts = chunks.map((length, d) => length / inner[d]!);
  const index = listOf(shards.index_codecs, {
    label,
    type: { type: 'UInt64', bigEndian: false },
    chunks: [...counts, 2],
  });
  const sharding: Sharding = { counts, index, indexAt: shards.index_location };
  if (index.byteSteps.some(({ by }) => by !== 'checksum') || !Number.isSafeInteger(indexLength(sharding)))
    throw new FormatError(`${label} has shards whose index is compressed, which is not supported.`);
  return { codecs: listOf(shards.codecs, { ...about, chunks: inner }), chunks: inner, sharding };
}

function listOf(given: readonly NamedCodec[], { label, type, chunks }: ChunkDescription): Codecs {
  const list = new CodecList(label, type, chunks);
  const bytes = given.findIndex(({ name }) => name === 'bytes' || name === 'sharding_indexed');
  if (given[bytes]?.name === 'sharding_indexed')
    throw new FormatError(`${label} has the codec 'sharding_indexed' behind another codec, which is not supported.`);
  for (const [n, codec] of given.entries())
    if (bytes < 0 || n > bytes) list.add(codec);
    else if (n === bytes) list.order(codec.configuration.endian === 'big');
    else list.addToValues(codec);
  return list.codecs;
}
