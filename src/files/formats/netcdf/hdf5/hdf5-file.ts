import type { Attribute, Dataset, File, Group, Metadata } from 'h5wasm';
import type { ByteSource } from '../../../data/bytes.ts';
import type { StoredType } from '../../../data/stored-values.ts';
import { FormatError } from '../../../errors.ts';
import type { CfAttributes } from '../../io/cf/variable.ts';
import { guarded } from '../../io/hdf5/library.ts';
import { ChunkCache } from '../../io/store/chunk-cache.ts';
import { plainValues } from '../classic/header.ts';
import {
  checkWhole,
  type NetCdfFile,
  type NetCdfGroup,
  type StoredVariable,
  type TextVariable,
} from '../netcdf-file.ts';
import { Hdf5Array } from './hdf5-array.ts';

/** Classes of HDF5's types. */
const classes = { integer: 0, float: 1, string: 3, reference: 7, enumeration: 8, variableLength: 9 };
const mostVariables = 10_000;
const deepest = 16;
const longestAttribute = 1 << 26;
/** Attributes with which the NetCDF library stores dimensions. */
const internal =
  /^(?:CLASS|NAME|REFERENCE_LIST|DIMENSION_LIST|DIMENSION_LABELS|_Netcdf4Dimid|_Netcdf4Coordinates|_NCProperties|_nc3_strict)$/;
const withoutVariable = 'This is a netCDF dimension but not a netCDF variable';
const notCoordinate = '_nc4_non_coord_';

/** The groups of an HDF5 file with variables and dimensions as the NetCDF library stores them. */
export function groupsOf(file: File, source: ByteSource): NetCdfFile {
  const reader = new GroupReader(source);
  reader.add(file, '/', new Map(), 0);
  return reader.groups;
}

/** A dimension: its length is that of its longest variable if it is unlimited. */
interface Dimension {
  readonly name: string;
  readonly id: number | undefined;
  length: number;
}

class GroupReader {
  readonly groups: NetCdfGroup[] = [];
  readonly #source: ByteSource;
  readonly #cache = new ChunkCache();
  /** Dimensions by the path of their dataset. */
  readonly #scales = new Map<string, Dimension>();
  #variables = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  add(group: Group, path: string, around: ReadonlyMap<number, Dimension>, depth: number): void {
    if (depth > deepest) throw new FormatError(`Groups are nested deeper than ${deepest} levels, or in each other.`);
    const names = guarded(() => group.keys());
    this.#variables += names.length;
    if (this.#variables > mostVariables)
      throw new FormatError(`The file has more than ${mostVariables} variables and groups.`);
    const datasets: [string, Dataset][] = [];
    const children: [string, Group][] = [];
    const unreadable = new Map<string, string>();
    for (const name of names) {
      const found = guarded(() => group.get(name));
      const type = found === null ? '' : (found as { type?: string }).type;
      if (type === 'Dataset') datasets.push([name, found as Dataset]);
      else if (type === 'Group') children.push([name, found as Group]);
      else if (type === 'ExternalLink') unreadable.set(name, `The link '${name}' to another file was left out.`);
    }
    const dimensions = new Map(around);
    for (const [name, dataset] of datasets) this.#addScale(name, dataset, path, dimensions);
    const variables = new Map<string, StoredVariable>();
    const texts = new Map<string, TextVariable>();
    for (const [name, dataset] of datasets) {
      if (this.#isPlainDimension(dataset)) continue;
      const own = name.startsWith(notCoordinate) ? name.slice(notCoordinate.length) : name;
      try {
        const metadata = guarded(() => dataset.metadata);
        const attributes = attributesOf(dataset, own);
        const known = this.#dimensionsOf(dataset, metadata, dimensions, own);
        const type = typeOf(metadata);
        if (type === 'text') texts.set(own, this.#text(own, dataset, metadata, attributes, known));
        else
          variables.set(
            own,
            new Hdf5Array(dataset, { ...known, name: own, type, attributes, metadata }, this.#cache, this.#source),
          );
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        unreadable.set(own, `The variable '${own}' was left out. ${error.message}`);
      }
    }
    this.groups.push({ path, attributes: attributesOf(group, path), variables, texts, unreadable });
    for (const [name, child] of children)
      this.add(child, path === '/' ? `/${name}` : `${path}/${name}`, dimensions, depth + 1);
  }

  /** Dimensions are datasets with the class of dimension scales. */
  #addScale(name: string, dataset: Dataset, path: string, dimensions: Map<number, Dimension>): void {
    if (!isScale(dataset)) return;
    const { shape } = guarded(() => dataset.metadata);
    const number = textAttribute(dataset, '_Netcdf4Dimid');
    const id = typeof number === 'number' ? number : undefined;
    const own = name.startsWith(notCoordinate) ? name.slice(notCoordinate.length) : name;
    const dimension = { name: own, id, length: shape?.[0] ?? 0 };
    this.#scales.set(path === '/' ? `/${name}` : `${path}/${name}`, dimension);
    if (id !== undefined) dimensions.set(id, dimension);
  }

  #isPlainDimension(dataset: Dataset): boolean {
    const name = isScale(dataset) ? textAttribute(dataset, 'NAME') : undefined;
    return typeof name === 'string' && name.startsWith(withoutVariable);
  }

  #dimensionsOf(dataset: Dataset, { shape }: Metadata, dimensions: ReadonlyMap<number, Dimension>, name: string) {
    const stored = shape ?? [];
    const ids = textAttribute(dataset, '_Netcdf4Coordinates');
    const listed = (Array.isArray(ids) ? ids : [ids]).map((id) => dimensions.get(Number(id)));
    const known = stored.map((length, d): Dimension => {
      if (listed.length === stored.length && listed[d] !== undefined) return listed[d];
      if (d === 0 && isScale(dataset)) return this.#scales.get(dataset.path) ?? { name, id: undefined, length };
      const [scale] = hasScales(dataset) ? guarded(() => dataset.get_attached_scales(d)) : [];
      // The NetCDF library names dimensions without a scale by their length.
      return this.#scales.get(scale ?? '') ?? { name: `phony_dim_${length}`, id: undefined, length };
    });
    for (const [d, dimension] of known.entries()) dimension.length = Math.max(dimension.length, stored[d]!);
    return { stored, dimensions: known };
  }

  #text(
    name: string,
    dataset: Dataset,
    metadata: Metadata,
    attributes: CfAttributes,
    { stored, dimensions }: { stored: number[]; dimensions: readonly Dimension[] },
  ): TextVariable {
    // Characters are strings of one byte, with a dimension of their own.
    const single = !metadata.vlen && metadata.size === 1 && stored.length > 0;
    const cut = single ? -1 : stored.length;
    return {
      name,
      dimensions: dimensions.slice(0, cut).map((one) => one.name),
      shape: stored.slice(0, cut),
      attributes,
      all: async () => {
        checkWhole(name, stored, undefined, this.#source.size);
        if (metadata.size * metadata.total_size > longestAttribute)
          throw new FormatError(`The texts of '${name}' have more than ${longestAttribute} bytes.`);
        const value = guarded(() => dataset.value);
        const all = (Array.isArray(value) ? value : [value]).map(String);
        if (!single) return all;
        const length = stored.at(-1)!;
        return Array.from({ length: length === 0 ? 0 : all.length / length }, (_, n) =>
          all
            .slice(n * length, (n + 1) * length)
            .join('')
            .trimEnd(),
        );
      },
    };
  }
}

/** The type of a variable's numbers, or text. */
function typeOf(metadata: Metadata): StoredType | 'text' {
  const { type, size, signed, vlen, virtual_sources } = metadata;
  if (virtual_sources !== undefined) throw new FormatError('Its values lie in other files.');
  if (type === classes.string) return 'text';
  const base = type === classes.enumeration ? metadata.enum_type!.type : type;
  const found =
    base === classes.integer && !vlen
      ? integers[`${signed}${size}`]
      : base === classes.float
        ? floats[size]
        : undefined;
  if (found === undefined) throw new FormatError('Its type has no numbers or texts.');
  return found;
}
const integers: Readonly<Record<string, StoredType>> = {
  true1: 'Int8',
  true2: 'Int16',
  true4: 'Int32',
  true8: 'Int64',
  false1: 'UInt8',
  false2: 'UInt16',
  false4: 'UInt32',
  false8: 'UInt64',
};
const floats: Readonly<Record<number, StoredType>> = { 4: 'Float32', 8: 'Float64' };

const isScale = (dataset: Dataset): boolean => textAttribute(dataset, 'CLASS') === 'DIMENSION_SCALE';
const hasScales = (dataset: Dataset): boolean => guarded(() => dataset.attrs.DIMENSION_LIST) !== undefined;

function textAttribute(of: Dataset | Group, name: string): unknown {
  const attribute = guarded(() => of.attrs[name]);
  return attribute === undefined ? undefined : attributeValue(attribute);
}

function attributesOf(of: Dataset | Group, name: string): CfAttributes {
  const attributes: Record<string, unknown> = {};
  const all = guarded(() => of.attrs);
  for (const key of Object.keys(all)) {
    if (internal.test(key)) continue;
    const value = attributeValue(
      guarded(() => all[key]!),
      name,
    );
    if (value !== undefined) attributes[key] = value;
  }
  return attributes;
}

/** A number, a text, or a list; undefined for values of other types. */
function attributeValue(attribute: Attribute, of = ''): unknown {
  const { metadata } = attribute;
  const { type, size, total_size, enum_type } = metadata;
  const base = type === classes.enumeration ? enum_type?.type : type;
  if (base !== classes.integer && base !== classes.float && base !== classes.string) return undefined;
  if (base === classes.float && size !== 4 && size !== 8) return undefined;
  if (size * total_size > longestAttribute)
    throw new FormatError(`The attribute '${attribute.name}' of '${of}' has ${size * total_size} bytes.`);
  const value = guarded(() => attribute.value);
  if (typeof value === 'bigint') return plainValues([value]);
  if (ArrayBuffer.isView(value)) return plainValues(value as unknown as Iterable<number | bigint>);
  if (!Array.isArray(value)) return value ?? undefined;
  return value.length === 1 ? value[0] : value;
}
