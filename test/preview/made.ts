import type { Feature, FeatureCollection, Field } from '../../src/files/data/feature-collection.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { ExactIntegers, Samples } from '../../src/files/data/item.ts';
import type { Series, SeriesItem } from '../../src/files/data/series.ts';
import type { PulledAxis, TimeAxis } from '../../src/files/data/time-axis.ts';
import { parseSrid, wgs84 } from '../../src/files/geo/crs/crs.ts';
import { transformer } from '../../src/files/geo/crs/transform.ts';
import type { Place } from '../../src/files/preview.ts';
import { hourly } from '../formats/meshes.ts';

export const go = () => {};

/** Points in WGS 84 with values. */
export const featuresOf = (
  fields: readonly Field[],
  rows: readonly { place: readonly [number, number]; values: readonly unknown[] }[],
  chunk = 2,
): FeatureCollection => ({
  kind: 'features',
  crs: parseSrid(4326),
  fields,
  hasZ: false,
  hasM: false,
  async *chunks() {
    for (let first = 0; first < rows.length; first += chunk)
      yield rows.slice(first, first + chunk).map(
        ({ place, values }, n): Feature => ({
          id: 100 + first + n,
          geometry: { type: 'Point', coordinates: Float64Array.from(place) },
          values,
        }),
      );
  },
});

/** Series whose columns come in chunks. */
export const seriesOf = (
  items: readonly SeriesItem[],
  columns: readonly (Samples | ExactIntegers)[],
  time: TimeAxis | PulledAxis,
  { chunk = 1000, offsets = Float64Array.from({ length: columns[0]!.length }, (_, n) => n) } = {},
): Series => ({
  kind: 'series',
  items,
  time,
  async *chunks() {
    for (let first = 0; first < offsets.length; first += chunk)
      yield {
        firstStep: first,
        offsets: offsets.slice(first, first + chunk),
        values: columns.map((column) => column.slice(first, first + chunk)),
      };
  },
});

export const hours = (count: number, start?: number): TimeAxis => ({
  spacing: 'equidistant',
  unit: 'hour',
  ...(start === undefined ? {} : { start }),
  count,
  offset: 0,
  interval: 1,
});

export const start = Date.UTC(2026, 0, 1);
export const level = { name: 'level', unit: 'm', type: 'Float64' } as const;

/** Heights over seven steps and two layers; every tenth cell has none. */
export const heights: Grid = {
  kind: 'grid',
  width: 100,
  height: 80,
  affine: [0, 10, 0, 800, 0, -10],
  bands: [{ name: 'height', unit: 'm', type: 'Int16', nodata: -99, scale: -0.5, offset: 3 }],
  time: hourly,
  layers: { count: 2, first: 0, spacing: 1 },
  async *rows({ step, layer }, { first, end } = { first: 0, end: 80 }) {
    for (let row = first; row < end; row += 16) {
      const rowCount = Math.min(16, end - row);
      const samples = Int16Array.from({ length: rowCount * 100 }, (_, n) => stored(step, layer, row * 100 + n));
      yield { firstRow: row, rowCount, samples };
    }
  },
};
export const stored = (step: number, layer: number, cell: number) =>
  cell % 10 === 0 ? -99 : ((cell * 37) % 1009) + step + layer;

/** 4 × 3 cells of a degree from 10° E, 60° N; value: band · 1000 + step · 100 + layer · 50 + row · 10 + column. */
export const degrees = (more: Partial<Grid> = {}): Grid => ({
  kind: 'grid',
  width: 4,
  height: 3,
  affine: [10, 1, 0, 60, 0, -1],
  crs: parseSrid(4326),
  bands: [
    { name: 'depth', unit: 'm', type: 'Float32', nodata: 12 },
    { name: 'speed', unit: 'm/s', type: 'Int16', scale: 0.5, offset: 1 },
  ],
  time: hourly,
  async *rows({ band, step, layer }, { first, end } = { first: 0, end: 3 }) {
    for (let row = first; row < end; row++) {
      const own = Array.from({ length: 4 }, (_, column) => band * 1000 + step * 100 + layer * 50 + row * 10 + column);
      yield { firstRow: row, rowCount: 1, samples: band === 0 ? Float32Array.from(own) : Int16Array.from(own) };
    }
  },
  ...more,
});

/** Longitudes and latitudes of places of the meshes of the tests. */
export async function placesOf(...points: readonly (readonly [number, number])[]): Promise<Place[]> {
  using change = await transformer(parseSrid(32633), wgs84);
  const [x, y] = [Float64Array.from(points, ([one]) => one), Float64Array.from(points, ([, one]) => one)];
  change.forward(x, y);
  return points.map((_, n): Place => [x[n]!, y[n]!]);
}
