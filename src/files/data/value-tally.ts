import type { Samples } from './item.ts';

/** Statistics of stored values, before `scale` and `offset` are applied. */
export interface Figures {
  /** Number of samples read with a value, and without one (nodata or NaN). */
  values: number;
  empty: number;
  /** Absent if there is no value or the result is infinite. */
  minimum?: number;
  maximum?: number;
  mean?: number;
  /** Population standard deviation (divided by n). Only for CalculateStatistics. */
  standardDeviation?: number;
}

interface Tally {
  values: number;
  empty: number;
  minimum: number;
  maximum: number;
  sum: number;
  /** Accumulated rounding error of `sum`. */
  rest: number;
  /** Sum of squared differences from the mean. */
  squares: number;
}

/** Collects statistics of values, block by block. */
export class ValueTally {
  readonly #whole: boolean;
  #tally: Tally = { values: 0, empty: 0, minimum: Infinity, maximum: -Infinity, sum: 0, rest: 0, squares: 0 };

  /** `whole`: all statistics of CalculateStatistics, not only those of a receipt. */
  constructor(whole: boolean) {
    this.#whole = whole;
  }

  /** Number of samples, with and without a value. */
  get samples(): number {
    return this.#tally.values + this.#tally.empty;
  }

  add(samples: Samples, nodata: number): void {
    count(this.#tally, samples, nodata, this.#whole);
  }

  /** Merges the statistics of two tallies. */
  with(other: ValueTally): ValueTally {
    const both = new ValueTally(this.#whole);
    both.#tally = merged(this.#tally, other.#tally);
    return both;
  }

  figures(): Figures {
    const { values, empty, minimum, maximum, sum, rest, squares } = this.#tally;
    return {
      values,
      empty,
      // JSON has no infinities
      ...finite({ minimum, maximum, mean: (sum + rest) / values }),
      ...(this.#whole ? finite({ standardDeviation: Math.sqrt(squares / values) }) : {}),
    };
  }
}

const finite = <T extends object>(figures: T): Partial<T> =>
  Object.fromEntries(Object.entries(figures).filter(([, figure]) => Number.isFinite(figure))) as Partial<T>;

function count(tally: Tally, samples: Samples, declared: number, whole: boolean): void {
  const nodata = samples instanceof Float32Array ? Math.fround(declared) : declared;
  let { minimum, maximum } = tally;
  let sum = 0;
  let empty = 0;
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]!;
    // NaN is never a value, whatever `nodata` is
    if (value === nodata || Number.isNaN(value)) empty++;
    else {
      if (value < minimum) minimum = value;
      if (value > maximum) maximum = value;
      sum += value;
    }
  }
  const values = samples.length - empty;
  if (whole && values > 0) addSquares(tally, samples, nodata, { sum, values });
  tally.minimum = minimum;
  tally.maximum = maximum;
  tally.empty += empty;
  tally.values += values;
  addSum(tally, sum);
}

/** Merges two parts; the squares as in `addSquares`. */
function merged(first: Tally, second: Tally): Tally {
  if (first.values + first.empty === 0) return second;
  const all = { ...first, values: first.values + second.values, empty: first.empty + second.empty };
  all.minimum = Math.min(first.minimum, second.minimum);
  all.maximum = Math.max(first.maximum, second.maximum);
  addSum(all, second.sum);
  all.rest += second.rest;
  if (first.values > 0 && second.values > 0) {
    const apart = (second.sum + second.rest) / second.values - (first.sum + first.rest) / first.values;
    all.squares += second.squares + (apart * apart * first.values * second.values) / all.values;
  } else all.squares += second.squares;
  return all;
}

/** Neumaier summation: the rounding error does not grow with the number of blocks. */
function addSum(tally: Tally, sum: number): void {
  const both = tally.sum + sum;
  tally.rest += Math.abs(tally.sum) >= Math.abs(sum) ? tally.sum - both + sum : sum - both + tally.sum;
  tally.sum = both;
}

/**
 * Adds the block's squared differences from its own mean, and the term for the difference of the means (Chan, Golub,
 * LeVeque 1979).
 */
function addSquares(tally: Tally, samples: Samples, nodata: number, block: { sum: number; values: number }): void {
  const mean = block.sum / block.values;
  let squares = 0;
  let differences = 0;
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]!;
    if (value === nodata || Number.isNaN(value)) continue;
    const difference = value - mean;
    squares += difference * difference;
    differences += difference;
  }
  // corrects the rounding error of the block's mean
  squares -= (differences * differences) / block.values;
  const before = tally.values;
  const apart = before === 0 ? 0 : mean - (tally.sum + tally.rest) / before;
  tally.squares += squares + (apart * apart * before * block.values) / (before + block.values);
}
