import { type Band, type Grid, slicesOfBand } from '../../data/grid.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import type { Context } from '../define.ts';

/** A grid whose bands have the same nodata value, as the bands of a GeoTIFF do. */
export interface OneNodata {
  readonly grid: Grid;
  /** Changes the nodata values of a band, in the sample type of the file, to that of the grid. */
  replace(band: number, samples: StoredValues): void;
}

/**
 * Gives all bands the first nodata value among them. Bands with another one are read first: a band that has the value
 * in a cell with data keeps its own cells, and the receipt says so.
 */
export async function withOneNodata(grid: Grid, context: Context): Promise<OneNodata> {
  const { bands } = grid;
  const named = bands.find(({ nodata }) => nodata !== undefined);
  if (named === undefined || bands.every((band) => Object.is(band.nodata, bands[0]!.nodata)))
    return { grid, replace: () => {} };
  if (bands.some(({ integer64 }) => integer64 !== undefined)) {
    context.reportLoss('A GeoTIFF has one nodata value for all bands; that of the first band was kept.');
    return { grid, replace: () => {} };
  }
  const nodata = nodataIn(named)!;
  const replaced = new Map<number, number>();
  const taken: string[] = [];
  for (const [n, band] of bands.entries()) {
    const own = nodataIn(band);
    if (Object.is(own, nodata)) continue;
    if (await holds(grid, n, nodata, context.signal)) taken.push(band.name ?? `Band ${n + 1}`);
    else if (own !== undefined) replaced.set(n, own);
  }
  if (taken.length > 0)
    context.reportLoss(
      `A GeoTIFF has one nodata value for all bands, here ${nodata}. Cells of ${taken.map((name) => `'${name}'`).join(', ')} have this value, so that they lost it; nodata values of these bands were kept as values.`,
    );
  return {
    grid: { ...grid, bands: bands.map((band) => ({ ...band, nodata })) },
    replace: (band, samples) => {
      const own = replaced.get(band);
      if (own === undefined || samples instanceof BigInt64Array || samples instanceof BigUint64Array) return;
      for (let i = 0; i < samples.length; i++)
        if (samples[i] === own || (Number.isNaN(own) && Number.isNaN(samples[i]))) samples[i] = nodata;
    },
  };
}

/** The nodata value as samples of the band hold it. */
const nodataIn = ({ nodata, type }: Band): number | undefined =>
  nodata !== undefined && type === 'Float32' ? Math.fround(nodata) : nodata;

/** NaN is no data in any band. */
async function holds(grid: Grid, band: number, value: number, signal: AbortSignal): Promise<boolean> {
  if (Number.isNaN(value)) return false;
  for (const slice of slicesOfBand(grid, band))
    for await (const { samples } of grid.rows(slice)) {
      signal.throwIfAborted();
      if (samples.includes(value)) return true;
    }
  return false;
}
