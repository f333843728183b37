import type { Dataset, File } from 'h5wasm';
import { product } from '../../data/hyperslab.ts';
import { FormatError } from '../../errors.ts';
import { guarded } from '../io/hdf5/library.ts';
import { shown } from '../io/zip.ts';

type Numbers = Float32Array | Float64Array | Int32Array;

/** Values that a file of any size may declare, and most values per byte of the file. */
const valuesOfAnyFile = 1_000_000;
const mostPerByte = 200;
const longestText = 1 << 22;

/** Datasets and attributes of an HDF5 file by their paths. */
export class Hdf5Values {
  readonly #file: File;
  readonly #bytes: number;

  constructor(file: File, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  has(path: string): boolean {
    return this.#entity(path) !== undefined;
  }

  dataset(path: string): Dataset | undefined {
    const found = this.#entity(path);
    return found?.type === 'Dataset' ? (found as Dataset) : undefined;
  }

  /**
   * All numbers of a dataset, row by row, and its lengths.
   * @param columns length of the second dimension; 0: any
   * @throws FormatError if it is missing, or has other lengths or too many values
   */
  table(path: string, columns: number): { values: Numbers; rows: number; columns: number } {
    const dataset = this.dataset(path);
    if (dataset === undefined) throw new FormatError(`The file has no dataset '${shown(path)}'.`);
    const shape = shapeOf(dataset);
    const [rows = 0, found = 1] = shape;
    if (shape.length > 2 || (columns > 0 && found !== columns) || found < 1)
      throw new FormatError(`The dataset '${shown(path)}' has the shape ${shape.join(' × ')}.`);
    this.#checkSize(path, shape);
    const values = guarded(() => dataset.value);
    return { values: numbersOf(values, path, rows * found), rows, columns: found };
  }

  /** Texts of a dataset, also of the first member of a compound type; undefined if it is missing. */
  texts(path: string): string[] | undefined {
    const dataset = this.dataset(path);
    if (dataset === undefined) return undefined;
    const { size, total_size } = guarded(() => dataset.metadata);
    if (size * total_size > longestText)
      throw new FormatError(`The texts of '${shown(path)}' have ${size * total_size} bytes.`);
    const value = guarded(() => dataset.value);
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return all.map((one) => cleaned(Array.isArray(one) ? one[0] : one));
  }

  /** A text of an attribute; undefined if it is missing or holds something else. */
  attribute(path: string, name: string): string | undefined {
    const entity = path === '/' ? this.#file : this.#entity(path);
    if (entity === undefined) return undefined;
    const attribute = guarded(() => (entity as File).attrs[name]);
    if (attribute === undefined) return undefined;
    const { size, total_size } = attribute.metadata;
    if (size * total_size > longestText) return undefined;
    const value = guarded(() => attribute.value);
    const [first] = Array.isArray(value) ? value : [value];
    return typeof first === 'string' ? cleaned(first) : undefined;
  }

  #checkSize(path: string, shape: readonly number[]): void {
    const most = Math.max(valuesOfAnyFile, mostPerByte * this.#bytes);
    if (!(product(shape) <= most))
      throw new FormatError(
        `The dataset '${shown(path)}' declares ${product(shape)} values, but the file has ${this.#bytes} bytes.`,
      );
  }

  #entity(path: string): { type?: string } | undefined {
    // Asking for a path whose group is missing is an error of the library.
    let group = '';
    for (const name of path.split('/').filter((one) => one !== '')) {
      const parent = group === '' ? this.#file : guarded(() => this.#file.get(group));
      const isThere = parent !== null && 'keys' in parent && guarded(() => (parent as File).keys()).includes(name);
      if (!isThere) return undefined;
      group += `/${name}`;
    }
    return (guarded(() => this.#file.get(group)) ?? undefined) as { type?: string } | undefined;
  }
}

export const shapeOf = (dataset: Dataset): number[] => guarded(() => dataset.metadata).shape ?? [];

/** Numbers of a type that HEC-RAS writes. */
export function numbersOf(value: unknown, path: string, count: number): Numbers {
  if (value instanceof Float32Array || value instanceof Float64Array || value instanceof Int32Array)
    if (value.length === count) return value;
  throw new FormatError(`The dataset '${shown(path)}' does not hold ${count} numbers.`);
}

const cleaned = (text: unknown): string =>
  String(text ?? '')
    .replace(/\0.*$/s, '')
    .trim();
