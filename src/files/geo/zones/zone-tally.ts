import { NumberList } from '../../data/number-list.ts';
import { ConversionError } from '../../errors.ts';
import { joined, quantileOf, quantiles, sorted, type ZoneStatistic, type ZoneWeights } from './statistics.ts';

/** Maximum number of values held at a time for percentiles: 16 bytes each. */
const maxHeld = 16_000_000;

/** Collects the statistics of zones over one slice. NaN is no value. */
export class ZoneTally {
  readonly #statistics: readonly ZoneStatistic[];
  /** Shares of the percentiles in ascending order. */
  readonly #shares: readonly number[];
  readonly #joinsEqual: boolean;
  readonly #spread: boolean;
  readonly #weights: Float64Array;
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  readonly #minima: Float64Array;
  readonly #maxima: Float64Array;
  readonly #lists: ({ values: NumberList<Float64Array>; weights: NumberList<Float64Array> } | undefined)[] = [];
  #held = 0;
  readonly #results: Float64Array;

  constructor(zones: number, statistics: readonly ZoneStatistic[], kind: ZoneWeights) {
    this.#joinsEqual = kind === 'coverage';
    this.#statistics = statistics;
    const shares = statistics.map(quantileOf).filter((share) => share !== undefined);
    this.#shares = [...new Set(shares)].sort((a, b) => a - b);
    this.#spread = statistics.includes('std');
    this.#weights = new Float64Array(zones);
    this.#sums = new Float64Array(zones);
    this.#squares = new Float64Array(this.#spread ? zones : 0);
    this.#minima = new Float64Array(zones).fill(Infinity);
    this.#maxima = new Float64Array(zones).fill(-Infinity);
    this.#results = new Float64Array(zones * statistics.length);
  }

  /** Adds `values[first … end - 1]`, which all have the same weight. */
  add(zone: number, values: Float64Array, first: number, end: number, weight: number): void {
    let [count, sum] = [0, 0];
    let minimum = this.#minima[zone]!;
    let maximum = this.#maxima[zone]!;
    for (let n = first; n < end; n++) {
      const value = values[n]!;
      if (!Number.isNaN(value)) {
        count++;
        sum += value;
        if (value < minimum) minimum = value;
        if (value > maximum) maximum = value;
      }
    }
    if (count === 0) return;
    this.#minima[zone] = minimum;
    this.#maxima[zone] = maximum;
    if (this.#spread) this.#addSquares(zone, values, { first, end, weight, mean: sum / count, count });
    this.#weights[zone]! += weight * count;
    this.#sums[zone]! += weight * sum;
    if (this.#shares.length > 0) this.#hold(zone, values, { first, end, weight, count });
  }

  /** Squared differences from the mean, merged as Chan, Golub and LeVeque (1979). */
  #addSquares(
    zone: number,
    values: Float64Array,
    { first, end, weight, mean, count }: { first: number; end: number; weight: number; mean: number; count: number },
  ): void {
    let squares = 0;
    if (count > 1)
      for (let n = first; n < end; n++) {
        const difference = values[n]! - mean;
        if (!Number.isNaN(difference)) squares += difference * difference;
      }
    const before = this.#weights[zone]!;
    const added = weight * count;
    const apart = before === 0 ? 0 : mean - this.#sums[zone]! / before;
    this.#squares[zone]! += weight * squares + (apart * apart * before * added) / (before + added);
  }

  #hold(
    zone: number,
    values: Float64Array,
    { first, end, weight, count }: { first: number; end: number; weight: number; count: number },
  ): void {
    this.#held += count;
    if (this.#held > maxHeld)
      throw new ConversionError(
        `The median and percentiles need the values of zones in memory, at most ${maxHeld} at a time. Leave these statistics out, use smaller zones, or larger cells by a resampleTransformation.`,
      );
    this.#lists[zone] ??= { values: new NumberList(Float64Array), weights: new NumberList(Float64Array) };
    const { values: held, weights } = this.#lists[zone];
    for (let n = first; n < end; n++)
      if (!Number.isNaN(values[n]!)) {
        held.push(values[n]!);
        weights.push(weight);
      }
  }

  /** Computes the statistics of a zone of which all values were added, and frees the values. */
  finish(zone: number): void {
    const weight = this.#weights[zone]!;
    const found = this.#percentiles(zone);
    for (const [n, statistic] of this.#statistics.entries())
      this.#results[zone * this.#statistics.length + n] =
        statistic === 'count' ? weight : weight > 0 ? this.#result(zone, statistic, found) : Number.NaN;
  }

  #percentiles(zone: number): number[] {
    const list = this.#lists[zone];
    if (list === undefined) return [];
    this.#lists[zone] = undefined;
    this.#held -= list.values.length;
    const ascending = sorted({ values: list.values.taken(), weights: list.weights.taken() });
    return quantiles(this.#joinsEqual ? joined(ascending) : ascending, this.#shares);
  }

  #result(zone: number, statistic: ZoneStatistic, found: readonly number[]): number {
    const weight = this.#weights[zone]!;
    if (statistic === 'sum') return this.#sums[zone]!;
    if (statistic === 'mean') return this.#sums[zone]! / weight;
    if (statistic === 'min') return this.#minima[zone]!;
    if (statistic === 'max') return this.#maxima[zone]!;
    if (statistic === 'std') return Math.sqrt(this.#squares[zone]! / weight);
    return found[this.#shares.indexOf(quantileOf(statistic)!)]!;
  }

  /** One number per zone and statistic, statistics of a zone side by side; NaN for none. */
  results(): Float64Array {
    return this.#results;
  }
}
