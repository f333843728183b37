import { defined } from '../../../data/defined.ts';
import { distinctName } from '../../../data/distinct-name.ts';
import type { Item } from '../../../data/item.ts';
import { isFloat } from '../../../data/samples.ts';
import { isBig, newValues, type StoredType } from '../../../data/stored-values.ts';
import { standardName } from '../cf/standard-names.ts';
import { udunitsOf } from '../cf/units.ts';
import type { Attributes } from './array-spec.ts';
import type { ItemDescription } from './description.ts';
import { numberText } from './json-number.ts';
import type { StoreNaming } from './naming.ts';

/** Names of arrays in a store, each given once. */
export class ArrayNames {
  readonly #taken: Set<string>;
  readonly #naming: StoreNaming;

  constructor(taken: readonly string[], naming: StoreNaming) {
    this.#taken = new Set([...naming.reserved, ...taken]);
    this.#naming = naming;
  }

  claim(wanted: string): string {
    return distinctName(this.#naming.safe(wanted), this.#taken);
  }
}

/**
 * The type and fill value of an item's array: 64-bit integers if the exact ones can be had. An item without nodata has
 * a fill value all the same, because Zarr asks for one.
 */
export function storedItem(item: Item, { exact = false } = {}): { type: StoredType; fill: number | bigint } {
  const type: StoredType = (exact ? item.integer64 : undefined) ?? item.type ?? 'Float64';
  if (isBig(type)) return { type, fill: item.exactNodata ?? BigInt(wholeOr0(item.nodata)) };
  const stored = newValues(type, 1);
  stored[0] = item.nodata ?? Number.NaN;
  // NaN and numbers that the type lacks became another integer.
  const fill = Number(stored[0]);
  return { type, fill: isFloat(type) || fill === item.nodata ? fill : 0 };
}

const wholeOr0 = (value: number | undefined): number => (Number.isSafeInteger(value) ? value! : 0);

export function describedItem(item: Item, array: string): ItemDescription {
  const { name, unit, eum, valueKind, scale, offset, nodata, exactNodata, reference, geographicAxes } = item;
  return defined({
    array,
    name,
    unit,
    eum,
    valueKind,
    scale: scale === undefined ? undefined : numberText(scale),
    offset: offset === undefined ? undefined : numberText(offset),
    nodata: nodata === undefined ? undefined : numberText(nodata),
    exactNodata: exactNodata === undefined ? undefined : String(exactNodata),
    reference: reference?.map((value) => numberText(value)),
    geographicAxes,
  }) as ItemDescription;
}

/** The item of a description, with the type of its array. */
export function itemOfDescription({ array: _, exactNodata, ...given }: ItemDescription, stored: StoredType): Item {
  return defined({
    ...given,
    ...typeOf(stored),
    exactNodata: exactNodata === undefined ? undefined : BigInt(exactNodata),
  }) as Item;
}

/** 64-bit integers are passed as doubles. */
export const typeOf = (stored: StoredType): Pick<Item, 'type' | 'integer64'> =>
  isBig(stored) ? { type: 'Float64', integer64: stored } : { type: stored };

/** Attributes of CF for an item. */
export function itemAttributes(item: Item, type: StoredType, fill: number | bigint): Attributes {
  const { name, unit, eum, scale, offset, nodata, valueKind } = item;
  const standard = eum === undefined ? undefined : standardName(eum);
  return {
    ...(name === undefined ? {} : { long_name: name }),
    ...(unit === undefined ? {} : { units: udunitsOf(unit) ?? unit }),
    ...(standard === undefined ? {} : { standard_name: standard }),
    ...(scale === undefined ? {} : { scale_factor: scale }),
    ...(offset === undefined ? {} : { add_offset: offset }),
    ...(nodata === undefined || !isFill(nodata, type, fill) ? {} : { _FillValue: encodedFill(type, fill) }),
    ...(valueKind === undefined || cellMethods[valueKind] === undefined
      ? {}
      : { cell_methods: cellMethods[valueKind] }),
  };
}

const cellMethods: Partial<Record<NonNullable<Item['valueKind']>, string>> = {
  instantaneous: 'time: point',
  accumulated: 'time: sum',
  stepAccumulated: 'time: sum',
  meanStepBackward: 'time: mean',
  meanStepForward: 'time: mean',
};

const isFill = (nodata: number, type: StoredType, fill: number | bigint): boolean =>
  Object.is(type === 'Float32' ? Math.fround(nodata) : nodata, Number(fill));

/** Fill values of floats as xarray writes them into attributes of Zarr 3: the bytes of the double in base64. */
function encodedFill(type: StoredType, fill: number | bigint): unknown {
  if (typeof fill === 'bigint') return Number.isSafeInteger(Number(fill)) ? Number(fill) : undefined;
  if (type !== 'Float32' && type !== 'Float64') return fill;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(fill);
  return bytes.toString('base64');
}
