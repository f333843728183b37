import { z } from 'zod';
import { product } from '../../data/hyperslab.ts';
import type { StoredType } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { shown } from '../io/zip.ts';
import { type ArrayMetadata, attributesOfCf, type Codecs, checkChunks, type Packer, parsed } from './metadata.ts';
import { fillOf } from './types.ts';

const lengths = z.array(z.int().min(0)).max(32);
const codec = z.object({ id: z.string() }).loose();
const attributes = z.record(z.string(), z.unknown());

const Group = z.object({ zarr_format: z.literal(2) });
const ArrayNode = z.object({
  zarr_format: z.literal(2),
  shape: lengths,
  chunks: lengths,
  dtype: z.unknown(),
  compressor: codec.nullish(),
  fill_value: z.unknown(),
  order: z.enum(['C', 'F']),
  filters: z.array(codec).nullish(),
  dimension_separator: z.enum(['.', '/']).default('.'),
});

/** Attribute in which xarray writes the names of the dimensions. */
const DIMENSIONS = '_ARRAY_DIMENSIONS';

/** @throws FormatError for a group that is not of Zarr 2 */
export function groupAttributesV2(group: string, given: string | undefined, path: string) {
  parsed(Group, group, path);
  return given === undefined ? {} : parsed(attributes, given, path.replace(/\.zgroup$/, '.zattrs'));
}

const kinds: Readonly<Record<string, string>> = { i: 'Int', u: 'UInt', f: 'Float' };
const sizes = ['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'Float32', 'Float64'];

/** A type of NumPy such as `<f4`. */
function typeOfDtype(dtype: unknown): { type: StoredType; bigEndian: boolean } | undefined {
  const [, order, kind = '', bytes] = /^([<>|])([iufb])(\d)$/.exec(String(dtype)) ?? [];
  const type = kind === 'b' ? 'UInt8' : `${kinds[kind]}${8 * Number(bytes)}`;
  return sizes.includes(type) ? { type: type as StoredType, bigEndian: order === '>' } : undefined;
}

/**
 * The metadata of an array of Zarr 2: the content of `.zarray` and `.zattrs`.
 * @throws FormatError if they are not valid, or name a type or codec that is not supported
 */
export function arrayMetadataV2(text: string, attributesText: string | undefined, name: string): ArrayMetadata {
  const given = parsed(ArrayNode, text, `${name}/.zarray`);
  const own = attributesText === undefined ? {} : parsed(attributes, attributesText, `${name}/.zattrs`);
  const label = `The array '${shown(name)}'`;
  const dtype = typeOfDtype(given.dtype);
  if (dtype === undefined)
    throw new FormatError(
      `${label} has the data type ${JSON.stringify(given.dtype)?.slice(0, 80)}, which is not supported. Integers and floats of 32 and 64 bits are, and smaller integers.`,
    );
  const { shape, chunks } = given;
  const { type, bigEndian } = dtype;
  checkChunks(label, { shape, chunks, type });
  if (given.order === 'F' && shape.filter((length) => length > 1).length > 1)
    throw new FormatError(`${label} is in the order of Fortran, which is not supported. Write it in the order C.`);
  const declared = given.fill_value ?? undefined;
  const fill = fillOf(type, declared ?? (type.startsWith('Float') ? 'NaN' : 0));
  if (fill === undefined)
    throw new FormatError(`${label} has the fill value ${String(declared).slice(0, 80)}, not of its type.`);
  const { [DIMENSIONS]: names, ...rest } = own;
  const dimensions = shape.map((_, d) => {
    const one = Array.isArray(names) && names.length === shape.length ? names[d] : undefined;
    return typeof one === 'string' ? one : undefined;
  });
  // The fill value of Zarr 2 means no data, also 0 (xarray), but not in coordinates, where 0 is a place.
  const isAxis = dimensions.length === 1 && dimensions[0] === name;
  const meansNothing = declared === undefined || (isAxis && Number(fill) === 0);
  const packed = codecsOf(given, label);
  const separator = given.dimension_separator;
  return {
    name,
    type,
    shape,
    chunks,
    dimensions,
    fill,
    codecs: { bigEndian, packed },
    key: (index) => (product(shape) === 1 && index.length === 0 ? '0' : index.join(separator)),
    attributes: attributesOfCf(rest, meansNothing ? undefined : fill),
  };
}

const packers: Readonly<Record<string, Packer>> = { zlib: 'zlib', gzip: 'gzip', zstd: 'zstd', blosc: 'blosc' };

function codecsOf({ compressor, filters }: z.output<typeof ArrayNode>, label: string): Codecs['packed'] {
  const [filter] = filters ?? [];
  if (filter !== undefined)
    throw new FormatError(`${label} has the filter '${shown(filter.id)}', which is not supported.`);
  if (compressor === undefined || compressor === null) return [];
  const packer = Object.hasOwn(packers, compressor.id) ? packers[compressor.id] : undefined;
  if (packer !== undefined) return [packer];
  throw new FormatError(
    `${label} has the compressor '${shown(compressor.id)}', which is not supported. Supported are blosc, gzip, zlib and zstd.`,
  );
}
