import type { StoredType, StoredValues } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import type { CfAttributes, CfVariable } from '../io/cf/variable.ts';
import type { StoredLayout } from '../io/stored-layout.ts';

/** A variable of numbers. */
export interface NetCdfVariable extends CfVariable {
  /**
   * All values, of an array that is held in memory.
   * @throws FormatError for another shape than the given one, and for more values than the file can hold
   */
  all(shape?: readonly number[]): Promise<StoredValues>;
}

/** A variable of numbers in a file. */
export interface StoredVariable extends NetCdfVariable {
  /** Attributes of the file, without a fill value that it does not name. */
  readonly ownAttributes: CfAttributes;
  /**
   * Where the file has its values.
   * @throws FormatError if they cannot be read by ranges of bytes
   */
  layout(): Promise<StoredLayout>;
}

/** A variable of characters or strings. */
export interface TextVariable {
  readonly name: string;
  /** Without the dimension of the characters. */
  readonly dimensions: readonly (string | undefined)[];
  readonly shape: readonly number[];
  readonly attributes: CfAttributes;
  all(): Promise<string[]>;
}

/** A group of a NetCDF file, with the dimensions of the groups around it. */
export interface NetCdfGroup {
  /** `/` for the root. */
  readonly path: string;
  readonly attributes: CfAttributes;
  readonly variables: ReadonlyMap<string, StoredVariable>;
  readonly texts: ReadonlyMap<string, TextVariable>;
  /** Why some variables cannot be read, by name. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** All groups of a file, the root first. */
export type NetCdfFile = readonly NetCdfGroup[];

/** Values of a variable in memory that even the smallest file may declare, and most values per byte of the file. */
const valuesOfAnyFile = 1_000_000;
const mostPerByte = 200;

/** @throws FormatError for another shape, or for more values than a file of this size can hold */
export function checkWhole(name: string, own: readonly number[], shape: readonly number[] | undefined, bytes: number) {
  if (shape !== undefined && (own.length !== shape.length || own.some((length, d) => length !== shape[d])))
    throw new FormatError(`The variable '${name}' has the shape ${own.join(' × ')} instead of ${shape.join(' × ')}.`);
  const values = own.reduce((all, length) => all * length, 1);
  if (values > Math.max(valuesOfAnyFile, mostPerByte * bytes))
    throw new FormatError(`The variable '${name}' has ${values} values, but the file has ${bytes} bytes.`);
}

/** The values that the NetCDF library writes where nothing was written; bytes have none. */
const defaultFills: Partial<Record<StoredType, number | bigint>> = {
  Int16: -32767,
  UInt16: 65535,
  Int32: -2147483647,
  UInt32: 4294967295,
  Int64: -9223372036854775806n,
  UInt64: 18446744073709551614n,
  Float32: 2 ** 123 * 0.9375 + 0,
  Float64: 2 ** 123 * 0.9375 + 0,
};

export const defaultFill = (type: StoredType): number | bigint | undefined => defaultFills[type];

/** The attributes with the fill value that counts where none is named. */
export function withDefaultFill(attributes: CfAttributes, type: StoredType): CfAttributes {
  const fill = defaultFills[type];
  if (fill === undefined || attributes._FillValue !== undefined || attributes.missing_value !== undefined)
    return attributes;
  return { ...attributes, _FillValue: fill };
}
