import { isFloat } from '../../../data/samples.ts';
import {
  bytesOfValues,
  isBig,
  newValues,
  type StoredType,
  type StoredValues,
  valuesIn,
} from '../../../data/stored-values.ts';
import { type CfContext, type CfVariable, numbersOf, shortened } from './variable.ts';

/** How the values of a variable are stored. */
export interface Packing {
  /** Type of the values, after `unpack`. */
  readonly type: StoredType;
  /** The one value that means no data. */
  readonly nodata?: number | bigint;
  /**
   * Turns values as they are stored into values of the type, in which only `nodata` means no data. It may change and
   * keep the memory that it gets. Absent: they are so already.
   */
  readonly unpack?: (values: StoredValues) => StoredValues;
  /** Smallest and largest valid value; others have no data. */
  readonly valid?: { readonly least: number | bigint; readonly most: number | bigint };
  /** Number of stored values outside of the valid ones, those that mean no data not counted. */
  readonly countInvalid?: (values: StoredValues) => number;
  /** Attributes whose values the type does not have, which are ignored. */
  readonly ignored: readonly string[];
}

const unsigned: Partial<Record<StoredType, StoredType>> = {
  Int8: 'UInt8',
  Int16: 'UInt16',
  Int32: 'UInt32',
  Int64: 'UInt64',
};
const signed = Object.fromEntries(Object.entries(unsigned).map(([one, other]) => [other, one as StoredType]));

/**
 * The rules of CF 2.5.1 and 8.1 and of the NetCDF Users Guide: `_Unsigned`, `_FillValue`, `missing_value` (also a
 * list), `valid_range`, `valid_min` and `valid_max`, which are compared with values as they are stored.
 */
export function packingOf({ type: stored, attributes }: Pick<CfVariable['metadata'], 'type' | 'attributes'>): Packing {
  const type = typeOf(stored, attributes._Unsigned);
  const ignored: string[] = [];
  const own = (key: string): (number | bigint)[] => {
    const given = numbersOf(attributes[key]);
    const fitting = given.flatMap((value) => inType(value, type) ?? []);
    if (fitting.length < given.length) ignored.push(key);
    return fitting.length < given.length && key.startsWith('valid') ? [] : fitting;
  };
  const missing = distinct([...own('_FillValue'), ...own('missing_value')]);
  const valid = validOf(own, type);
  const nodata = missing.find(Number.isNaN) ?? missing[0] ?? (valid && outside(valid, type));
  const others = missing.filter((one) => !Object.is(one, nodata) && !Number.isNaN(one));
  const head = {
    type,
    ...(nodata === undefined ? {} : { nodata }),
    ...(valid === undefined ? {} : { valid }),
    ignored,
  };
  const asType = (values: StoredValues) => (type === stored ? values : valuesIn(type, bytesOfValues(values)));
  if (valid === undefined && others.length === 0) return type === stored ? head : { ...head, unpack: asType };
  const isMissing = (value: number | bigint) => value === nodata || others.includes(value);
  const isInvalid = (value: number | bigint) => valid !== undefined && (value < valid.least || value > valid.most);
  return {
    ...head,
    unpack(values) {
      const own = asType(values);
      for (let n = 0; n < own.length; n++) if (isMissing(own[n]!) || isInvalid(own[n]!)) own[n] = nodata as never;
      return own;
    },
    ...(valid === undefined
      ? {}
      : {
          countInvalid(values) {
            let count = 0;
            for (const value of asType(values)) if (isInvalid(value) && !isMissing(value)) count++;
            return count;
          },
        }),
  };
}

/** How the values of a variable are stored. Remarks on attributes that are ignored. */
export function readPacking({ metadata }: CfVariable, { remark }: Pick<CfContext, 'remark'>): Packing {
  const packing = packingOf(metadata);
  for (const key of packing.ignored)
    remark(`'${key}' of '${shortened(metadata.name)}' was ignored: its type does not have the value.`);
  return packing;
}

function typeOf(stored: StoredType, attribute: unknown): StoredType {
  const word = String(attribute ?? '').toLowerCase();
  if (word === 'true') return unsigned[stored] ?? stored;
  return word === 'false' ? (signed[stored] ?? stored) : stored;
}

const distinct = (values: readonly (number | bigint)[]): (number | bigint)[] =>
  values.filter((value, n) => values.findIndex((other) => Object.is(other, value)) === n);

/**
 * A value of an attribute as one of the type; undefined if the type does not have it. Attributes of unsigned values
 * may be written as signed ones of the same bits.
 */
function inType(value: number | bigint, type: StoredType): number | bigint | undefined {
  const one = newValues(type, 1);
  if (isBig(type)) {
    if (typeof value === 'number' && !Number.isInteger(value)) return undefined;
    const whole = BigInt(value);
    one[0] = whole as never;
    return one[0] === whole || (type === 'UInt64' && whole < 0n) ? one[0] : undefined;
  }
  one[0] = Number(value);
  if (isFloat(type)) return Number(one[0]);
  const isWrapped =
    type.startsWith('U') && Number(value) < 0 && Number(value) >= -(2 ** (8 * one.BYTES_PER_ELEMENT - 1));
  return one[0] === Number(value) || (isWrapped && Number.isInteger(Number(value))) ? Number(one[0]) : undefined;
}

function validOf(own: (key: string) => (number | bigint)[], type: StoredType): Packing['valid'] {
  const [least, most] = own('valid_range');
  if (least !== undefined && most !== undefined) return { least, most };
  const [from] = own('valid_min');
  const [to] = own('valid_max');
  if (from === undefined && to === undefined) return undefined;
  const [lowest, highest] = limits(type);
  return { least: from ?? lowest, most: to ?? highest };
}

/** The smallest and largest value of a type. */
function limits(type: StoredType): [number | bigint, number | bigint] {
  if (isFloat(type)) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const bits = 8 * newValues(type, 1).BYTES_PER_ELEMENT;
  const [least, end] = type.startsWith('U')
    ? [0n, 2n ** BigInt(bits)]
    : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1)];
  return isBig(type) ? [least, end - 1n] : [Number(least), Number(end - 1n)];
}

/** A value that is not valid, for a variable that names none that means no data; undefined if all values are valid. */
function outside({ least, most }: NonNullable<Packing['valid']>, type: StoredType): number | bigint | undefined {
  if (isFloat(type)) return Number.NaN;
  const [lowest, highest] = limits(type);
  if (least > lowest) return lowest;
  return most < highest ? highest : undefined;
}
