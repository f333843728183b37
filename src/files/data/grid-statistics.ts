import { type Grid, sliceNumber, slicesPerBand } from './grid.ts';
import type { Samples } from './item.ts';
import { PassTally } from './pass-tally.ts';
import type { Figures } from './value-tally.ts';

/** Statistics of one band over all steps and layers. */
export interface BandStatistics extends Figures {
  band: number;
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

/** Collects statistics per band over all slices. If a band is read again, only the last pass counts. */
export class GridTally {
  readonly #bands = new Map<number, PassTally>();
  readonly #whole: boolean;

  /** `whole`: all statistics of CalculateStatistics, not only those of a receipt. */
  constructor({ whole = false } = {}) {
    this.#whole = whole;
  }

  /** Number of cells read, of all bands. */
  get cells(): number {
    let cells = 0;
    for (const tally of this.#bands.values()) cells += tally.samples;
    return cells;
  }

  begin(band: number, slice: number): (samples: Samples, nodata: number) => void {
    const tally = this.#bands.get(band) ?? new PassTally(this.#whole);
    this.#bands.set(band, tally);
    return tally.begin(slice);
  }

  of(grid: Grid): GridStatistics {
    const bands = [...this.#bands].map(([band, tally]) => {
      const { name, unit, scale, offset } = grid.bands[band]!;
      const labels = Object.entries({ name, unit, scale, offset }).filter(([, value]) => value !== undefined);
      return { band: band + 1, ...(this.#whole ? Object.fromEntries(labels) : {}), ...tally.figures() };
    });
    return { kind: 'grid', width: grid.width, height: grid.height, bands };
  }
}

/**
 * Wraps `grid` so that reading adds to the tally. Calls `passed` with the fraction of the rows of all bands read so
 * far.
 */
export function watched(grid: Grid, tally: GridTally, signal: AbortSignal, passed: (fraction: number) => void): Grid {
  const slices = slicesPerBand(grid);
  return {
    ...grid,
    async *rows(slice, range) {
      const { band } = slice;
      const number = sliceNumber(grid, slice);
      const count = tally.begin(band, number);
      const nodata = grid.bands[band]?.nodata ?? Number.NaN;
      for await (const block of grid.rows(slice, range)) {
        signal.throwIfAborted();
        count(block.samples, nodata);
        passed((band + (number + (block.firstRow + block.rowCount) / grid.height) / slices) / grid.bands.length);
        yield block;
      }
    },
  };
}
