import type { ByteSource } from '../../../data/bytes.ts';
import { copyBlock, product } from '../../../data/hyperslab.ts';
import type { Indices } from '../../../data/indices.ts';
import {
  bytesOfValues,
  bytesPerValue,
  newValues,
  type StoredType,
  type StoredValues,
} from '../../../data/stored-values.ts';
import { FormatError } from '../../../errors.ts';
import { blockOf, selectByReading } from '../../io/read-selected.ts';
import { layoutInOnePiece, type StoredBlock, type StoredLayout } from '../../io/stored-layout.ts';
import {
  checkWhole,
  type NetCdfFile,
  type StoredVariable,
  type TextVariable,
  withDefaultFill,
} from '../netcdf-file.ts';
import { swapped } from './byte-order.ts';
import { type ClassicVariable, classicHeader } from './header.ts';

/** Bytes that are read at a time; blocks with gaps are read whole up to this size. */
const runBytes = 1 << 20;

/** A file of the classic format: CDF-1, CDF-2 (64-bit offsets) or CDF-5. Values are read when they are asked for. */
export async function openClassic(source: ByteSource): Promise<NetCdfFile> {
  const { attributes, variables, recordBytes } = await classicHeader(source);
  const numbers = new Map<string, StoredVariable>();
  const texts = new Map<string, TextVariable>();
  for (const variable of variables) {
    const storage = { source, recordBytes };
    if (variable.type === 'Char') texts.set(variable.name, textVariable(variable, storage));
    else numbers.set(variable.name, new ClassicArray({ ...variable, type: variable.type }, storage));
  }
  return [{ path: '/', attributes, variables: numbers, texts, unreadable: new Map() }];
}

interface Storage {
  readonly source: ByteSource;
  readonly recordBytes: number;
}

function textVariable(variable: ClassicVariable, storage: Storage): TextVariable {
  const bytes = new ClassicArray({ ...variable, type: 'UInt8' }, storage);
  const { shape, dimensions } = bytes.metadata;
  const length = shape.at(-1) ?? 1;
  return {
    name: variable.name,
    dimensions: dimensions.slice(0, -1),
    shape: shape.slice(0, -1),
    attributes: variable.attributes,
    async all() {
      const all = Buffer.from(bytesOfValues(await bytes.all()));
      return Array.from({ length: product(shape.slice(0, -1)) }, (_, n) =>
        all
          .toString('utf8', n * length, (n + 1) * length)
          .replace(/\0.*$/s, '')
          .trimEnd(),
      );
    },
  };
}

class ClassicArray implements StoredVariable {
  readonly metadata: StoredVariable['metadata'];
  readonly ownAttributes: StoredVariable['ownAttributes'];
  readonly #storage: Storage;
  readonly #begin: number;
  readonly #inRecords: boolean;

  constructor(
    { name, type, dimensions, attributes, begin }: ClassicVariable & { readonly type: StoredType },
    storage: Storage,
  ) {
    const shape = dimensions.map(({ length }) => length);
    this.#inRecords = dimensions[0]?.unlimited === true;
    this.ownAttributes = attributes;
    this.metadata = {
      name,
      type,
      shape,
      chunks: blockOf(shape, bytesPerValue(type), this.#inRecords ? 1 : 0),
      dimensions: dimensions.map((dimension) => dimension.name),
      attributes: withDefaultFill(attributes, type),
    };
    this.#storage = storage;
    this.#begin = begin;
  }

  get chunkBytes(): number {
    return product(this.metadata.chunks) * bytesPerValue(this.metadata.type);
  }

  /** A chunk for each record; values of the last records may be missing in a file that was cut off. */
  async layout(): Promise<StoredLayout> {
    const { shape, type } = this.metadata;
    const { source, recordBytes } = this.#storage;
    const [begin, size] = [this.#begin, bytesPerValue(type)];
    const isThere = ({ offset, length }: StoredBlock) => offset + length <= source.size;
    if (!this.#inRecords) {
      const layout = layoutInOnePiece(shape, { offset: begin, bytesPerValue: size, bigEndian: true });
      return { ...layout, blocks: Iterator.from(layout.blocks).filter(isThere) };
    }
    const [records = 0, ...within] = shape;
    const length = product(within) * size;
    function* blocks(): Generator<StoredBlock> {
      const none = within.map(() => 0);
      for (let record = 0; record < records && length > 0; record++)
        yield { index: [record, ...none], offset: begin + record * recordBytes, length };
    }
    const chunks = [1, ...within.map((one) => Math.max(1, one))];
    return { chunks, bigEndian: true, filters: [], blocks: blocks().filter(isThere) };
  }

  bytesFor(indices: readonly Indices[]): number {
    return product(indices.map(({ length }) => length)) * bytesPerValue(this.metadata.type);
  }

  select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    return selectByReading(this, indices, signal);
  }

  all(shape?: readonly number[]): Promise<StoredValues> {
    const { name, shape: own } = this.metadata;
    checkWhole(name, own, shape, this.#storage.source.size);
    return this.read(
      own.map(() => 0),
      own,
    );
  }

  async read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const { shape, type } = this.metadata;
    const values = newValues(type, product(extent));
    if (values.length === 0) return values;
    if (!this.#inRecords) await this.#plain(values, { start, extent, shape, begin: this.#begin });
    else {
      const size = product(extent.slice(1));
      const inner = { start: start.slice(1), extent: extent.slice(1), shape: shape.slice(1) };
      for (let record = 0; record < extent[0]!; record++) {
        const begin = this.#begin + (start[0]! + record) * this.#storage.recordBytes;
        await this.#plain(values.subarray(record * size, (record + 1) * size), { ...inner, begin });
      }
    }
    return swapped(values);
  }

  /** Reads a block of an array that lies in the file without gaps, in runs of at most a megabyte. */
  async #plain(
    to: StoredValues,
    {
      start,
      extent,
      shape,
      begin,
    }: { start: readonly number[]; extent: readonly number[]; shape: readonly number[]; begin: number },
  ): Promise<void> {
    const bytes = bytesPerValue(this.metadata.type);
    // The last dimension that is not read whole; all after it is one run.
    let cut = shape.findLastIndex((length, d) => extent[d] !== length);
    if (cut < 0) cut = 0;
    // A dimension before it is taken in, if the bytes between its runs are few.
    while (cut > 0 && product(shape.slice(cut)) * bytes <= runBytes / 16) cut--;
    const row = product(shape.slice(cut + 1));
    const wholeRows = shape.slice(cut + 1).every((length, d) => extent[cut + 1 + d] === length);
    const rows = extent[cut] ?? 1;
    const outer = extent.slice(0, cut);
    const size = product(extent.slice(cut));
    const index = outer.map(() => 0);
    for (let n = 0; n < product(outer); n++) {
      let place = 0;
      for (let d = 0; d < cut; d++) place = place * shape[d]! + start[d]! + index[d]!;
      const first = (place * (shape[cut] ?? 1) + (start[cut] ?? 0)) * row;
      const perRead = Math.max(1, Math.floor(runBytes / (row * bytes)));
      for (let from = 0; from < rows; from += perRead) {
        const count = Math.min(perRead, rows - from);
        const run = await this.#run(begin + (first + from * row) * bytes, count * row);
        if (wholeRows) {
          to.set(run as never, n * size + from * row);
          continue;
        }
        const rest = extent.slice(cut + 1);
        copyBlock(
          { values: run, shape: [count, ...shape.slice(cut + 1)], start: [0, ...start.slice(cut + 1)] },
          {
            values: to.subarray(n * size, (n + 1) * size),
            shape: extent.slice(cut),
            start: [from, ...rest.map(() => 0)],
          },
          [count, ...rest],
        );
      }
      for (let d = cut - 1; d >= 0; d--) {
        index[d]!++;
        if (index[d]! < extent[d]!) break;
        index[d] = 0;
      }
    }
  }

  async #run(offset: number, length: number): Promise<StoredValues> {
    const { type, name } = this.metadata;
    const size = length * bytesPerValue(type);
    const { source } = this.#storage;
    if (offset + size > source.size)
      throw new FormatError(`The file ends within the values of '${name}'.`, source.size);
    const bytes = await source.read(offset, size);
    const values = newValues(type, length);
    bytesOfValues(values).set(bytes);
    return values;
  }
}
