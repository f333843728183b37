import type { ExactIntegers, Item, Samples } from '../../data/item.ts';
import { commonType, isFloat, sampleArrays, sampleTypeOf } from '../../data/samples.ts';
import { asSamples } from '../../data/stored-values.ts';
import { ConversionError } from '../../errors.ts';

/**
 * Matches items by name: for each item of the dataset the index of the item of the input.
 * @throws ConversionError for duplicate names, names that only the dataset or the input has, or different quantities
 */
export function matchItems(present: readonly Item[], added: readonly Item[]): number[] {
  const there = byName(present, 'The dataset');
  const here = byName(added, 'The input');
  for (const [name] of here)
    if (!there.has(name)) throw new ConversionError(`The dataset has no item '${name}'; it has ${listed(present)}.`);
  return present.map((item) => {
    const name = item.name ?? '';
    const n = here.get(name);
    if (n === undefined)
      throw new ConversionError(`The input has no item '${name}', which the dataset has; it has ${listed(added)}.`);
    const [one, other] = [item.eum, added[n]!.eum];
    if (one !== undefined && other !== undefined && (one.item !== other.item || one.unit !== other.unit))
      throw new ConversionError(
        `The item '${name}' has EUM item ${one.item} and unit ${one.unit} in the dataset, and ${other.item} and ${other.unit} in the input.`,
      );
    return n;
  });
}

function byName(items: readonly Item[], whose: string): Map<string, number> {
  const names = new Map<string, number>();
  for (const [n, { name = '' }] of items.entries()) {
    if (names.has(name)) throw new ConversionError(`${whose} has several items '${name}', so they cannot be matched.`);
    names.set(name, n);
  }
  return names;
}

const listed = (items: readonly Item[]): string =>
  items
    .slice(0, 20)
    .map(({ name = '' }) => `'${name.slice(0, 80)}'`)
    .join(', ');

/** Converts values of an item of the input to type, nodata value, scale and offset of the dataset's item. */
export function convertValues(values: Samples | ExactIntegers, from: Item, to: Item): Samples {
  const numbers = asSamples(values);
  const type = to.type ?? 'Float64';
  checkType(from, to);
  const scale = (from.scale ?? 1) / (to.scale ?? 1);
  const shift = ((from.offset ?? 0) - (to.offset ?? 0)) / (to.scale ?? 1);
  if (sampleTypeOf(numbers) === type && scale === 1 && shift === 0 && Object.is(from.nodata, to.nodata)) return numbers;
  const empty = numbers instanceof Float32Array && from.nodata !== undefined ? Math.fround(from.nodata) : from.nodata;
  const converted = new sampleArrays[type](numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i]!;
    const none = value === empty || (Number.isNaN(value) && !Object.is(from.nodata, to.nodata));
    converted[i] = none ? (to.nodata ?? Number.NaN) : value * scale + shift;
  }
  return converted;
}

/** Whether all values of an item fit into 64-bit integers of this type. */
const isWhole = ({ type = 'Float64', integer64 }: Item, to: NonNullable<Item['integer64']>): boolean =>
  integer64 === undefined ? !isFloat(type) && (to === 'Int64' || type.startsWith('UInt')) : integer64 === to;

const isSameScale = (one: Item, other: Item): boolean =>
  (one.scale ?? 1) === (other.scale ?? 1) && (one.offset ?? 0) === (other.offset ?? 0);

/** An input without nodata has values everywhere. */
const isSameNodata = (given: Item, there: Item): boolean =>
  given.nodata === undefined || (Object.is(given.nodata, there.nodata) && given.exactNodata === there.exactNodata);

/** Exact integers of an input item, if the dataset's item has the same integer type. */
export const keptExact = (exact: ExactIntegers | undefined, from: Item, to: Item): { exact?: ExactIntegers } =>
  exact !== undefined && to.integer64 !== undefined && from.integer64 === to.integer64 ? { exact } : {};

/** Float items accept all types; integer items accept only integer types whose values all fit. */
function checkType(given: Item, there: Item): void {
  const { type: from = 'Float64' } = given;
  const { name = '', type: to = 'Float64' } = there;
  if (there.integer64 !== undefined) {
    if (isWhole(given, there.integer64) && isSameScale(given, there) && isSameNodata(given, there)) return;
    throw new ConversionError(
      `The item '${name}' holds ${there.integer64} in the dataset, so the input needs whole numbers of that range with the same scale and nodata value; it has ${given.integer64 ?? from}.`,
    );
  }
  if (to === 'Float32' || to === 'Float64' || commonType([from, to]) === to) return;
  throw new ConversionError(`The item '${name}' holds ${to} in the dataset, and ${from} in the input.`);
}
