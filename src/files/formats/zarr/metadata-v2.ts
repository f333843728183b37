import { z } from 'zod';
import { product } from '../../data/hyperslab.ts';
import { FormatError } from '../../errors.ts';
import { shown } from '../io/zip.ts';
import { CodecList, type Codecs } from './codecs.ts';
import { type DataType, fillOfType, readAs, typeOfDtype } from './data-type.ts';
import { type ArrayMetadata, attributesOfCf, checkChunks, checked, unsupportedType, withUnits } from './metadata.ts';

const lengths = z.array(z.int().min(0)).max(32);
const codec = z.object({ id: z.string() }).loose();
const attributes = z.record(z.string(), z.unknown());
/** What the C library of NetCDF adds. */
const ncZarr = z
  .object({ dimrefs: z.array(z.string()).optional() })
  .optional()
  .catch(undefined);

const Group = z.object({ zarr_format: z.literal(2) });
const ArrayNode = z.object({
  zarr_format: z.literal(2),
  shape: lengths,
  chunks: lengths,
  dtype: z.unknown(),
  compressor: codec.nullish(),
  fill_value: z.unknown(),
  order: z.enum(['C', 'F']),
  filters: z.array(codec).max(32).nullish(),
  dimension_separator: z.enum(['.', '/']).default('.'),
  _NCZARR_ARRAY: ncZarr,
  _nczarr_array: ncZarr,
});

/** Attribute in which xarray writes the names of the dimensions. */
const DIMENSIONS = '_ARRAY_DIMENSIONS';

/** @throws FormatError for a group that is not of Zarr 2 */
export function groupAttributesV2(group: unknown, given: unknown, path: string) {
  checked(Group, group, path);
  return given === undefined ? {} : checked(attributes, given, path.replace(/\.zgroup$/, '.zattrs'));
}

/**
 * The metadata of an array of Zarr 2: the content of `.zarray` and `.zattrs`.
 * @throws FormatError if they are not valid, or name a type or codec that is not supported
 */
export function arrayMetadataV2(content: unknown, attributesGiven: unknown, name: string): ArrayMetadata {
  const given = checked(ArrayNode, content, `${name}/.zarray`);
  const own = attributesGiven === undefined ? {} : checked(attributes, attributesGiven, `${name}/.zattrs`);
  const label = `The array '${shown(name)}'`;
  const stored = typeOfDtype(given.dtype);
  if (stored === undefined) throw unsupportedType(label, given.dtype);
  const { shape, chunks } = given;
  const type = readAs(stored);
  checkChunks(label, { shape, chunks, type });
  const declared = given.fill_value ?? undefined;
  const fill = fillOfType(stored, declared ?? (type.startsWith('Float') ? 'NaN' : 0));
  if (fill === undefined)
    throw new FormatError(`${label} has the fill value ${String(declared).slice(0, 80)}, not of its type.`);
  const { [DIMENSIONS]: names, _NCZARR_ARRAY, _nczarr_array, ...rest } = own;
  const fromNetCdf = [given._NCZARR_ARRAY, given._nczarr_array, _NCZARR_ARRAY, _nczarr_array]
    .map((one) => ncZarr.parse(one)?.dimrefs)
    .find((one) => one !== undefined)
    ?.map((path) => path.slice(path.lastIndexOf('/') + 1));
  const known = [names, fromNetCdf].find((one) => Array.isArray(one) && one.length === shape.length);
  const dimensions = shape.map((_, d) => {
    const one: unknown = (known as unknown[] | undefined)?.[d];
    return typeof one === 'string' ? one : undefined;
  });
  // The fill value of Zarr 2 means no data, also 0 (xarray), but not in coordinates, where 0 is a place.
  const isAxis = dimensions.length === 1 && dimensions[0] === name;
  const meansNothing = declared === undefined || (isAxis && Number(fill) === 0);
  const separator = given.dimension_separator;
  return {
    name,
    type,
    shape,
    chunks,
    dimensions,
    fill,
    codecs: codecsOf(given, stored, label),
    key: (index) => (product(shape) === 1 && index.length === 0 ? '0' : index.join(separator)),
    attributes: attributesOfCf(withUnits(rest, stored), meansNothing ? undefined : fill),
  };
}

/** Filters come first, in the order of writing, then the compressor. */
function codecsOf(
  { compressor, filters, order, chunks }: z.output<typeof ArrayNode>,
  type: DataType,
  label: string,
): Codecs {
  const list = new CodecList(label, type, chunks);
  if (order === 'F' && chunks.length > 1) list.addToValues({ name: 'transpose', configuration: { order: 'F' } });
  for (const { id, ...configuration } of [...(filters ?? []), ...(compressor ? [compressor] : [])])
    list.add({ name: id, configuration });
  return list.codecs;
}
