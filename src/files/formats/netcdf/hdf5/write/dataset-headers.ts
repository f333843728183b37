import { product } from '../../../../data/hyperslab.ts';
import { bytesOfValues, bytesPerValue, newValues, type StoredType } from '../../../../data/stored-values.ts';
import type { ArraySpec, Attributes } from '../../../io/store/array-spec.ts';
import { attributeValue } from '../../attribute-value.ts';
import { UNDEFINED, u32, u64 } from './bytes.ts';
import { GlobalHeap } from './global-heap.ts';
import type { Hdf5Options } from './hdf5-options.ts';
import {
  attributeMessage,
  chunkedLayout,
  contiguousLayout,
  dataspace,
  dataspaceMessage,
  datatypeMessage,
  type Filter,
  fillMessage,
  filtersMessage,
  groupMessages,
  longTextType,
  type Message,
  nullDataspace,
  numberType,
  objectHeader,
  referenceListType,
  scaleUseType,
  textType,
} from './messages.ts';

/** An array, and where its values are in the file. */
export interface StoredArray {
  readonly spec: ArraySpec;
  /** Its first dimension is unlimited. */
  readonly grows: boolean;
  readonly chunked: boolean;
  /** Of values without chunks. */
  address: number;
  /** Of the tree of the chunks. */
  tree: number;
}

/** Longer texts do not fit into a header. */
const longestInHeader = 60_000;
const mostUses = 3000;
const withoutVariable = 'This is a netCDF dimension but not a netCDF variable.';

interface Scale {
  readonly name: string;
  readonly length: number;
  readonly uses: { readonly name: string; readonly dimension: number }[];
}

/** The object headers of all variables and dimensions, and of the root group. */
export class DatasetHeaders {
  readonly #arrays: readonly StoredArray[];
  readonly #attributes: Attributes;
  readonly #options: Pick<Hdf5Options, 'compression' | 'level' | 'unlimited'>;
  readonly #scales = new Map<string, Scale>();
  readonly #addresses = new Map<string, number>();
  readonly #heap = new GlobalHeap();

  constructor(
    arrays: readonly StoredArray[],
    attributes: Attributes,
    options: Pick<Hdf5Options, 'compression' | 'level' | 'unlimited'>,
  ) {
    this.#arrays = arrays;
    this.#attributes = attributes;
    this.#options = options;
    for (const { spec } of arrays)
      for (const [d, name] of spec.dimensions.entries()) {
        const scale = this.#scales.get(name) ?? { name, length: spec.shape[d]!, uses: [] };
        this.#scales.set(name, scale);
        if (!isOwn(spec)) scale.uses.push({ name: spec.name, dimension: d });
      }
  }

  /** All bytes from an address on, and the address of the root group. */
  placed(start: number): { bytes: Buffer; root: number } {
    const names = new Set(this.#arrays.map(({ spec }) => spec.name));
    const plain = [...this.#scales.values()].filter(({ name }) => !names.has(name));
    const objects: { name: string; messages: () => Message[] }[] = [
      ...plain.map((scale) => ({ name: scale.name, messages: () => this.#dimension(scale) })),
      ...this.#arrays.map((array) => {
        const attributes = this.#attributesOf(array);
        return { name: array.spec.name, messages: () => [...this.#values(array), ...attributes()] };
      }),
    ];
    const own = this.#plainAttributes(this.#attributes);
    this.#heap.start = start;
    let at = start + this.#heap.bytes;
    for (const { name, messages } of objects) {
      this.#addresses.set(name, at);
      at += objectHeader(messages()).length;
    }
    const root = at;
    const links = objects.map(({ name }) => ({ name, address: this.#addresses.get(name)! }));
    return {
      bytes: Buffer.concat([
        this.#heap.content(),
        ...objects.map(({ messages }) => objectHeader(messages())),
        objectHeader([...groupMessages(links), ...own()]),
      ]),
      root,
    };
  }

  #values({ spec, grows, chunked, address, tree }: StoredArray): Message[] {
    const { type, shape, fill, characters } = spec;
    const bytes = bytesPerValue(type);
    // a dimension may have no values, a chunk may not
    const chunks = spec.chunks.map((length) => Math.max(1, length));
    const single = newValues(type, 1);
    single[0] = fill as never;
    const value = Buffer.from(bytesOfValues(single));
    return [
      dataspaceMessage(dataspace(shape, grows)),
      datatypeMessage(characters ? textType(1) : numberType(type)),
      fillMessage(value, !chunked),
      ...(chunked
        ? [chunkedLayout(tree, chunks, bytes), ...this.#filters(bytes)]
        : [contiguousLayout(address, product(shape) * bytes)]),
    ];
  }

  #filters(bytes: number): Message[] {
    const { compression, level } = this.#options;
    if (compression === 'None') return [];
    const packing: Filter =
      compression === 'Deflate' ? { id: 1, values: [level] } : { id: 32_015, name: 'zstd', values: [level] };
    return [filtersMessage([{ id: 2, values: [bytes] }, packing])];
  }

  /** A dimension without a variable: a dataset without values. */
  #dimension(scale: Scale): Message[] {
    const { name, length } = scale;
    const grows = name === this.#options.unlimited;
    return [
      dataspaceMessage(dataspace([length], grows)),
      datatypeMessage(numberType('Float32')),
      fillMessage(Buffer.alloc(4), !grows),
      grows
        ? chunkedLayout(UNDEFINED, [Math.max(1, Math.min(length, 1024))], 4)
        : contiguousLayout(UNDEFINED, 4 * length),
      ...this.#scaleAttributes(scale, `${withoutVariable}${String(length).padStart(10)}`),
    ];
  }

  #scaleAttributes({ name, uses }: Scale, title: string): Message[] {
    const number = [...this.#scales.keys()].indexOf(name);
    const listed = uses.slice(0, mostUses);
    const used = listed.map((use) => Buffer.concat([u64(this.#addresses.get(use.name) ?? 0), u32(use.dimension, 0)]));
    return [
      attributeMessage('CLASS', textType(16), dataspace([]), Buffer.from('DIMENSION_SCALE\0')),
      attributeMessage('NAME', textType(Buffer.byteLength(title) + 1), dataspace([]), Buffer.from(`${title}\0`)),
      attributeMessage('_Netcdf4Dimid', numberType('Int32'), dataspace([]), u32(number)),
      ...(used.length === 0
        ? []
        : [attributeMessage('REFERENCE_LIST', scaleUseType(), dataspace([used.length]), Buffer.concat(used))]),
    ];
  }

  #attributesOf({ spec }: StoredArray): () => Message[] {
    const own = this.#plainAttributes(spec.attributes, spec.type);
    if (isOwn(spec)) {
      const scale = this.#scales.get(spec.name)!;
      return () => [...this.#scaleAttributes(scale, spec.name), ...own()];
    }
    if (spec.dimensions.length === 0) return own;
    const references = spec.dimensions.map((name) => this.#heap.add(8, () => u64(this.#addresses.get(name)!)));
    return () => [
      attributeMessage(
        'DIMENSION_LIST',
        referenceListType(),
        dataspace([references.length]),
        Buffer.concat(references.map((one) => one(1))),
      ),
      ...own(),
    ];
  }

  /** Texts, numbers and lists of numbers; `_FillValue` has the type of the variable. */
  #plainAttributes(attributes: Attributes, type?: StoredType): () => Message[] {
    const makers = Object.entries(attributes).flatMap(([name, given]): (() => Message)[] => {
      const value = attributeValue(name, given, type);
      if (value === undefined) return [];
      if (typeof value !== 'string') {
        const bytes = Buffer.from(bytesOfValues(value.values));
        const space = value.values.length === 1 ? dataspace([1]) : dataspace([value.values.length]);
        return [() => attributeMessage(name, numberType(value.type), space, bytes)];
      }
      const bytes = Buffer.from(value);
      if (bytes.length === 0) return [() => attributeMessage(name, textType(1), nullDataspace(), Buffer.alloc(0))];
      if (bytes.length <= longestInHeader)
        return [() => attributeMessage(name, textType(bytes.length), dataspace([]), bytes)];
      const reference = this.#heap.add(bytes.length, () => bytes);
      return [() => attributeMessage(name, longTextType(), dataspace([1]), reference(bytes.length))];
    });
    return () => makers.map((make) => make());
  }
}

/** A coordinate variable: over the dimension of its name alone. */
const isOwn = ({ name, dimensions }: ArraySpec): boolean => dimensions.length === 1 && dimensions[0] === name;
