import type { Grid, Samples } from './data.ts';

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

/** Statistics of the rows that pass by; of a band that is pulled again only the last pass counts. */
export class GridTally {
  readonly #tallies = new Map<number, Tally>();
  readonly #whole: boolean;

  /** `whole`: with all that statistics tell, not only what a receipt needs. */
  constructor({ whole = false } = {}) {
    this.#whole = whole;
  }

  /** Cells that have passed, of all bands. */
  get cells(): number {
    let cells = 0;
    for (const tally of this.#tallies.values()) cells += tally.values + tally.empty;
    return cells;
  }

  begin(band: number): (samples: Samples, declared: number) => void {
    const tally = { values: 0, empty: 0, minimum: Infinity, maximum: -Infinity, sum: 0, rest: 0, squares: 0 };
    this.#tallies.set(band, tally);
    return (samples, declared) => count(tally, samples, declared, this.#whole);
  }

  of(grid: Grid): GridStatistics {
    const bands = [...this.#tallies].map(([band, { values, empty, minimum, maximum, sum, rest, squares }]) => {
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
  return {
    ...grid,
    async *rows(band, step, wanted) {
      const count = tally.begin(band);
      const nodata = grid.bands[band]?.nodata ?? Number.NaN;
      for await (const block of grid.rows(band, step, wanted)) {
        signal.throwIfAborted();
        count(block.samples, nodata);
        passed((band + (block.firstRow + block.rowCount) / grid.height) / grid.bands.length);
        yield block;
      }
    },
  };
}
