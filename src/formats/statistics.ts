import type { Grid, Samples } from './types.ts';

export interface BandStatistics {
  band: number;
  /** Cells with a value, and cells without one. */
  values: number;
  empty: number;
  /** Absent when there is no cell with a value, or it is infinite. */
  minimum?: number;
  maximum?: number;
  mean?: number;
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
  sum: number;
}

/** Statistics of the rows that pass by; of a band that is pulled again only the last pass counts. */
export class GridTally {
  readonly #tallies = new Map<number, Tally>();

  /** Cells that have passed, of all bands. */
  get cells(): number {
    let cells = 0;
    for (const tally of this.#tallies.values()) cells += tally.values + tally.empty;
    return cells;
  }

  begin(band: number): Tally {
    const tally = { values: 0, empty: 0, minimum: Infinity, maximum: -Infinity, sum: 0 };
    this.#tallies.set(band, tally);
    return tally;
  }

  of(grid: Grid): GridStatistics {
    const bands = [...this.#tallies].map(([band, { values, empty, minimum, maximum, sum }]) => ({
      band: band + 1,
      values,
      empty,
      // Infinite figures have no place in JSON.
      ...finite({ minimum, maximum, mean: sum / values }),
    }));
    return { kind: 'grid', width: grid.width, height: grid.height, bands };
  }
}

const finite = <T extends object>(figures: T): Partial<T> =>
  Object.fromEntries(Object.entries(figures).filter(([, figure]) => Number.isFinite(figure))) as Partial<T>;

function count(tally: Tally, samples: Samples, declared: number): void {
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
  tally.minimum = minimum;
  tally.maximum = maximum;
  tally.sum += sum;
  tally.empty += empty;
  tally.values += samples.length - empty;
}

/** The same grid, with a tally of what is pulled from it; `passed` is told the share of the rows of all bands. */
export function watched(grid: Grid, tally: GridTally, signal: AbortSignal, passed: (fraction: number) => void): Grid {
  return {
    ...grid,
    async *rows(band, step) {
      const counted = tally.begin(band);
      const nodata = grid.bands[band]?.nodata ?? Number.NaN;
      for await (const block of grid.rows(band, step)) {
        signal.throwIfAborted();
        count(counted, block.samples, nodata);
        passed((band + (block.firstRow + block.rowCount) / grid.height) / grid.bands.length);
        yield block;
      }
    },
  };
}
