import type { Grid, Slice } from '../../data/grid.ts';
import { realValues } from '../../data/real-values.ts';
import { sliceSamples } from '../../data/slice-samples.ts';
import { chartColumns, chartPng } from './chart.ts';
import { Curve } from './curve.ts';
import type { Heading } from './figure.ts';
import { ticksBetween } from './ticks.ts';

/** Draws a grid of one row as a line chart of its values over the distance from its beginning. */
export async function rowPicturePng(
  grid: Grid,
  slice: Slice,
  { unit, ...heading }: Heading & { readonly unit?: string | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  const values = realValues(await sliceSamples(grid, slice), grid.bands[slice.band]!);
  const spacing = Math.hypot(grid.affine[1], grid.affine[4]);
  const range = { low: 0, high: spacing * grid.width };
  const curve = new Curve(range, values.length, chartColumns);
  let [low, high] = [Infinity, -Infinity];
  for (const [n, value] of values.entries()) {
    curve.add((n + 0.5) * spacing, value);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const { low: first, high: last } = range;
  return chartPng({
    ...heading,
    x: { ...range, name: 'Distance', ticks: (most) => ticksBetween(first, last, most) },
    panels: [{ unit, low, high, lines: [{ name: heading.title, pieces: curve.pieces() }] }],
  });
}
