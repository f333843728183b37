import type { Grid } from './grid.ts';
import { sliceNumber, slicesPerBand } from './grid.ts';
import type { Samples } from './item.ts';

/** Of the numbers as they are stored, before `scale` and `offset`. */
export interface BandStatistics {
  band: number;
  /** Cells with a value, and cells without one; of those that were read. */
  values: number;
  empty: number;
  /** Absent when there is no cell with a value, or it is infinite. */
  minimum?: number;
  maximum?: number;
  mean?: number;
  /** Of all cells, not of a sample. This and what follows only where statistics are asked for. */
  standardDeviation?: number;
  name?: string;
  unit?: string;
  scale?: number;
  offset?: number;
}

export interface GridStatistics {
  kind: 'grid';
  width: number;
  height: number;
  bands: BandStatistics[];
}

interface Tally {
  values: number;
  empty: number;
  minimum: number;
  maximum: number;
  /** With what rounding took from it. */
  sum: number;
  rest: number;
  /** Sum of squares of the differences from the mean. */
  squares: number;
}

/** The slices of one band so far. */
interface BandTally {
  /** Of the slices before the last one. */
  before: Tally | undefined;
  last: Tally;
  /** Number of the last one. */
  slice: number;
}

/** Statistics of each band over the rows of all its slices; where a band is pulled again, only the last pass counts. */
export class GridTally {
  readonly #bands = new Map<number, BandTally>();
  readonly #whole: boolean;

  /** `whole`: with all that statistics tell, not only what a receipt needs. */
  constructor({ whole = false } = {}) {
    this.#whole = whole;
  }

  /** Cells that have passed, of all bands. */
  get cells(): number {
    let cells = 0;
    for (const { before, last } of this.#bands.values())
      cells += last.values + last.empty + (before === undefined ? 0 : before.values + before.empty);
    return cells;
  }

  /** Slices of a band come in ascending order; one that comes again begins anew, and an earlier one begins a new pass. */
  begin(band: number, slice: number): (samples: Samples, declared: number) => void {
    const known = this.#bands.get(band);
    const tally = { values: 0, empty: 0, minimum: Infinity, maximum: -Infinity, sum: 0, rest: 0, squares: 0 };
    const before =
      known === undefined || slice < known.slice
        ? undefined
        : slice === known.slice
          ? known.before
          : merged(known.before, known.last);
    this.#bands.set(band, { before, last: tally, slice });
    return (samples, declared) => count(tally, samples, declared, this.#whole);
  }

  of(grid: Grid): GridStatistics {
    const bands = [...this.#bands].map(([band, { before, last }]) => {
      const { values, empty, minimum, maximum, sum, rest, squares } = merged(before, last);
      const { name, unit, scale, offset } = grid.bands[band]!;
      const called = Object.entries({ name, unit, scale, offset }).filter(([, value]) => value !== undefined);
      return {
        band: band + 1,
        ...(this.#whole ? Object.fromEntries(called) : {}),
        values,
        empty,
        // Infinite figures have no place in JSON.
        ...finite({ minimum, maximum, mean: (sum + rest) / values }),
        ...(this.#whole ? finite({ standardDeviation: Math.sqrt(squares / values) }) : {}),
      };
    });
    return { kind: 'grid', width: grid.width, height: grid.height, bands };
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
    // NaN is never a value, whatever is declared.
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

/** Two parts as one; the squares as in `addSquares`. */
function merged(first: Tally | undefined, second: Tally): Tally {
  if (first === undefined || first.values + first.empty === 0) return second;
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

/** Neumaier's summation: a million sums of blocks lose no more than one does. */
function addSum(tally: Tally, sum: number): void {
  const both = tally.sum + sum;
  tally.rest += Math.abs(tally.sum) >= Math.abs(sum) ? tally.sum - both + sum : sum - both + tally.sum;
  tally.sum = both;
}

/** The block's own squares, from its own mean, and what lies between its mean and that of all before (Chan, Golub, LeVeque 1979). */
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
  // What rounding left in the mean.
  squares -= (differences * differences) / block.values;
  const before = tally.values;
  const apart = before === 0 ? 0 : mean - (tally.sum + tally.rest) / before;
  tally.squares += squares + (apart * apart * before * block.values) / (before + block.values);
}

/** The same grid, with a tally of what is pulled from it; `passed` is told the share of the rows of all bands. */
export function watched(grid: Grid, tally: GridTally, signal: AbortSignal, passed: (fraction: number) => void): Grid {
  const slices = slicesPerBand(grid);
  return {
    ...grid,
    async *rows(slice, wanted) {
      const { band } = slice;
      const number = sliceNumber(grid, slice);
      const count = tally.begin(band, number);
      const nodata = grid.bands[band]?.nodata ?? Number.NaN;
      for await (const block of grid.rows(slice, wanted)) {
        signal.throwIfAborted();
        count(block.samples, nodata);
        passed((band + (number + (block.firstRow + block.rowCount) / grid.height) / slices) / grid.bands.length);
        yield block;
      }
    },
  };
}
