import type { ExactIntegers, Item, Samples } from '../../data/item.ts';
import { commonType, nodataOf } from '../../data/samples.ts';
import { asSamples } from '../../data/stored-values.ts';
import { ConversionError } from '../../errors.ts';
import { convertValues } from '../append/join-items.ts';

/**
 * The item that can hold the values of all these: the narrowest type, and the first nodata value that it can hold.
 * The type stays unknown if that of one is known only after its values are read.
 */
export function commonItem<I extends Item>(items: readonly [I, ...I[]]): I {
  const [first] = items;
  if (items.every((one) => sameForm(one, first))) return first;
  const types = items.flatMap(({ type }) => type ?? []);
  const scaled = items.some((one) => !sameScale(one, first));
  const type = scaled ? 'Float64' : types.length === items.length ? commonType(types) : undefined;
  const given = items.find(({ nodata }) => nodata !== undefined)?.nodata;
  const { type: _, nodata: __, integer64: ___, exactNodata: ____, scale, offset, ...rest } = first;
  const nodata = given === undefined || type === undefined ? given : nodataOf(type, scaled ? undefined : given);
  return {
    ...rest,
    ...(type === undefined ? {} : { type }),
    ...(nodata === undefined ? {} : { nodata }),
    ...(scaled || scale === undefined ? {} : { scale }),
    ...(scaled || offset === undefined ? {} : { offset }),
  } as I;
}

const sameScale = (one: Item, other: Item): boolean =>
  (one.scale ?? 1) === (other.scale ?? 1) && (one.offset ?? 0) === (other.offset ?? 0);

const sameForm = (one: Item, other: Item): boolean =>
  one.type === other.type &&
  one.integer64 === other.integer64 &&
  Object.is(one.nodata, other.nodata) &&
  one.exactNodata === other.exactNodata &&
  sameScale(one, other);

/** Whether a value of an item is no data, in the precision of the values. */
export function emptyTest({ nodata }: Item, values: Samples): (value: number) => boolean {
  const empty = values instanceof Float32Array && nodata !== undefined ? Math.fround(nodata) : nodata;
  return (value) => value === empty || Number.isNaN(value);
}

/**
 * Values of the item of a file as values of the joined item.
 * @param report gets a sentence if values are lost
 */
export function toCommonItem(
  values: Samples | ExactIntegers,
  from: Item,
  to: Item,
  report: (sentence: string) => void,
): Samples {
  const given = asSamples(values);
  if ((values instanceof BigInt64Array || values instanceof BigUint64Array) && isRounded(values, from))
    report('Integers above 2^53 were rounded to 53 bits.');
  const converted = convertValues(given, from, to);
  if (Object.is(from.nodata, to.nodata) || to.nodata === undefined) return converted;
  const [wasEmpty, isEmpty] = [emptyTest(from, given), emptyTest(to, converted)];
  if (converted.some((value, i) => isEmpty(value) && !wasEmpty(given[i]!)))
    report(
      `Values${to.name === undefined ? '' : ` of the item '${to.name}'`} are ${to.nodata}, the nodata value of the joined files, and became empty.`,
    );
  return converted;
}

/** Whether doubles cannot hold all values but the nodata value, which is often the lowest or highest of its type. */
function isRounded(values: ExactIntegers, { nodata, exactNodata }: Item): boolean {
  const empty = exactNodata ?? (Number.isInteger(nodata) ? BigInt(nodata!) : undefined);
  return values.some((value: bigint) => value !== empty && !Number.isSafeInteger(Number(value)));
}

/**
 * Matches items by name, or by their order if none has a name: for each item of `wanted` the index in `given`.
 * @throws ConversionError for repeated names, and different quantities
 */
export function matchByName(wanted: readonly Item[], given: readonly Item[]): (number | undefined)[] {
  if (isUnnamed(wanted) && isUnnamed(given)) return wanted.map((_, n) => (n < given.length ? n : undefined));
  const places = placesByName(given);
  return wanted.map((item) => {
    const n = places.get(item.name ?? '');
    if (n !== undefined) checkQuantity(item, given[n]!);
    return n;
  });
}

export const isUnnamed = (items: readonly Item[]): boolean => items.every(({ name }) => name === undefined);

/** @throws ConversionError for repeated names */
export function placesByName(items: readonly Item[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [n, { name = '' }] of items.entries()) {
    if (places.has(name))
      throw new ConversionError(`It has several items '${name.slice(0, 80)}', so they cannot be matched by name.`);
    places.set(name, n);
  }
  return places;
}

/** Values of different quantities or units are never joined. */
function checkQuantity(one: Item, other: Item): void {
  const units = [one, other].map(({ eum, unit }) => eum ?? unit);
  if (units.includes(undefined) || JSON.stringify(units[0]) === JSON.stringify(units[1])) return;
  const [first, second] = [one, other].map(({ eum, unit = 'none' }) =>
    eum === undefined ? `the unit ${unit}` : `EUM item ${eum.item} and unit ${eum.unit}`,
  );
  throw new ConversionError(
    `The item '${(one.name ?? '').slice(0, 80)}' has ${second}, and ${first} in the files before.`,
  );
}
