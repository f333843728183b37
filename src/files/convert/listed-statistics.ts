import type { Figures } from '../data/value-tally.ts';
import type { Statistics } from './conversion.ts';

/**
 * The statistics of data with items over time are a list of their items; a single raster and features keep their own
 * form.
 */
export function listedStatistics(statistics: Statistics, overTime: boolean): Statistics | readonly Figures[] {
  if (statistics.kind === 'features') return statistics;
  if (statistics.kind !== 'grid') return statistics.items;
  if (!overTime) return statistics;
  return statistics.bands.map(({ band: _, ...figures }) => figures);
}
