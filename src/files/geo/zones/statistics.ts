/**
 * Which cells weigh: `centre` those whose centre lies in the zone, each with 1 (as GDAL and rasterstats); `coverage`
 * all that the zone covers in part, with that part (as exactextract).
 */
export type ZoneWeights = 'centre' | 'coverage';

/**
 * Statistics of the values v of a zone with weights w:
 *
 * - `count` Σw, `sum` Σwv, `mean` Σwv ÷ Σw, `min` and `max` of all values with a weight above 0
 * - `std` of the population, √(Σw(v − mean)² ÷ Σw)
 * - `median`, `p0` … `p100` percentiles: with values in ascending order, S(k) = (k − 1) w(k) + (n − 1) (w(1) + … +
 *   w(k − 1)), linear between the values on either side of p ÷ 100 · (n − 1) Σw. With equal weights, these are the
 *   percentiles of NumPy and rasterstats. With `coverage`, equal values are first joined to one value with the sum of
 *   their weights, as exactextract does.
 */
export type ZoneStatistic = 'count' | 'sum' | 'mean' | 'min' | 'max' | 'std' | 'median' | `p${number}`;

export const isZoneStatistic = (value: unknown): value is ZoneStatistic =>
  typeof value === 'string' &&
  (/^(count|sum|mean|min|max|std|median)$/.test(value) || (/^p\d{1,3}$/.test(value) && Number(value.slice(1)) <= 100));

/** The share of the weight below a percentile; undefined for other statistics. */
export const quantileOf = (statistic: ZoneStatistic): number | undefined =>
  statistic === 'median' ? 0.5 : statistic.startsWith('p') ? Number(statistic.slice(1)) / 100 : undefined;

/** Values with weights, in ascending order after `sorted`. */
export interface WeightedValues {
  readonly values: Float64Array;
  readonly weights: Float64Array;
}

/** Joins equal values of an ascending list to one with the sum of their weights. */
export function joined({ values, weights }: WeightedValues): WeightedValues {
  const all = { values: new Float64Array(values.length), weights: new Float64Array(values.length) };
  let last = -1;
  for (let n = 0; n < values.length; n++) {
    if (last < 0 || values[n] !== all.values[last]) all.values[++last] = values[n]!;
    all.weights[last]! += weights[n]!;
  }
  return { values: all.values.subarray(0, last + 1), weights: all.weights.subarray(0, last + 1) };
}

/** Sorts values with their weights. Most cells of a zone have weight 1, and sort without a comparator. */
export function sorted({ values, weights }: WeightedValues): WeightedValues {
  const parts: number[] = [];
  const whole = new Float64Array(values.length);
  let count = 0;
  for (let n = 0; n < values.length; n++)
    if (weights[n] === 1) whole[count++] = values[n]!;
    else parts.push(n);
  const ones = whole.subarray(0, count).sort();
  if (parts.length === 0) return { values: ones, weights };
  const partial = Uint32Array.from(parts).sort((a, b) => values[a]! - values[b]! || weights[a]! - weights[b]!);
  const merged = { values: new Float64Array(values.length), weights: new Float64Array(values.length) };
  for (let to = 0, one = 0, part = 0; to < values.length; to++)
    if (part === partial.length || (one < count && ones[one]! <= values[partial[part]!]!)) {
      merged.values[to] = ones[one++]!;
      merged.weights[to] = 1;
    } else {
      merged.values[to] = values[partial[part]!]!;
      merged.weights[to] = weights[partial[part++]!]!;
    }
  return merged;
}

/**
 * Weighted quantiles, as the head of this file defines them.
 * @param shares between 0 and 1, in ascending order
 */
export function quantiles({ values, weights }: WeightedValues, shares: readonly number[]): number[] {
  const count = values.length;
  const found = shares.map(() => values[count - 1]!);
  let total = 0;
  for (let n = 0; n < count; n++) total += weights[n]!;
  let [before, position, next] = [0, 0, 0];
  for (let n = 0; n < count && next < shares.length; n++) {
    const at = n * weights[n]! + (count - 1) * before;
    while (next < shares.length && at > shares[next]! * (count - 1) * total) {
      const part = (shares[next]! * (count - 1) * total - position) / (at - position);
      found[next++] = values[n - 1]! + part * (values[n]! - values[n - 1]!);
    }
    position = at;
    before += weights[n]!;
  }
  return found;
}
