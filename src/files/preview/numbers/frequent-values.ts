import type { FeatureCollection } from '../../data/feature-collection.ts';

export interface FrequentValue {
  readonly value: string | boolean;
  readonly count: number;
}

/** Number of values of an answer. */
const shown = 20;
/** Maximum number of different values that are counted at once. */
const counted = 20_000;
/** Characters by which texts are told apart. */
const compared = 500;

/**
 * The most frequent texts of a field, in memory that does not depend on the number of features. If there are more than
 * 20,000 different ones, those more frequent than one in 20,000 are found (Misra, Gries 1982) and counted in a second
 * pass, so their counts are exact, too.
 */
export async function frequentValues(
  data: FeatureCollection,
  field: number,
  throwIfCancelled: () => void,
): Promise<FrequentValue[]> {
  const counts = new Map<string | boolean, number>();
  let isWhole = true;
  for await (const chunk of valuesOf(data, field, throwIfCancelled))
    for (const value of chunk) {
      const known = counts.get(value);
      if (known !== undefined || counts.size < counted) counts.set(value, (known ?? 0) + 1);
      else {
        isWhole = false;
        for (const [one, count] of counts) {
          if (count === 1) counts.delete(one);
          else counts.set(one, count - 1);
        }
      }
    }
  if (!isWhole) {
    for (const value of counts.keys()) counts.set(value, 0);
    for await (const chunk of valuesOf(data, field, throwIfCancelled))
      for (const value of chunk) {
        const known = counts.get(value);
        if (known !== undefined) counts.set(value, known + 1);
      }
  }
  // Equal counts stay in the order of the data.
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, shown)
    .map(([value, count]) => ({ value, count }));
}

async function* valuesOf(
  data: FeatureCollection,
  field: number,
  throwIfCancelled: () => void,
): AsyncGenerator<(string | boolean)[]> {
  for await (const chunk of data.chunks()) {
    throwIfCancelled();
    yield chunk.flatMap(({ values }): (string | boolean)[] => {
      const value = values[field];
      if (typeof value === 'boolean') return [value];
      return value === null || value === undefined || Number.isNaN(value) ? [] : [String(value).slice(0, compared)];
    });
  }
}
