import { readFile } from 'node:fs/promises';
import { findWriter } from 'hydrofiles';
import { FileSink } from 'hydrofiles/bytes';
import { transformer } from 'hydrofiles/crs';
import type { FeatureCollection } from 'hydrofiles/data';
import { quietContext } from './context.ts';
import { type Terrain, terrain } from './terrain.ts';

/** A river gauge. */
export interface Gauge {
  name: string;
  /** Metres, EPSG:25832. */
  x: number;
  y: number;
  height: number;
  since: string;
}

const names = ['Pass spring', 'Upper mill', 'Bridge of sighs', 'Boathouse', 'Lake outlet', 'Kjærgård'];

/** Places gauges along the river, also in the lake. Their heights are those of the bed. */
export function makeGauges({ rows, cell, south, valley }: Terrain): Gauge[] {
  return names.map((name, n) => {
    const y = south + rows * cell * (1 - (n + 0.5) / names.length);
    const x = Math.round(valley.riverAt(y) * 10) / 10;
    return { name, x, y, height: Math.round(valley.groundAt(x, y) * 100) / 100, since: `${1950 + 7 * n}-04-01` };
  });
}

/** Writes gauges as a zipped shapefile. */
export async function writeShapefile(gauges: readonly Gauge[], path: string, scratch: string): Promise<void> {
  const layer: FeatureCollection = {
    kind: 'features',
    name: 'gauges',
    crs: { authority: 'EPSG', code: terrain.srid },
    fields: [
      { name: 'name', type: 'string' },
      { name: 'height', type: 'real', decimals: 2 },
      { name: 'since', type: 'date' },
    ],
    hasZ: false,
    hasM: false,
    async *chunks() {
      yield gauges.map(({ name, x, y, height, since }) => ({
        geometry: { type: 'Point', coordinates: Float64Array.of(x, y) },
        values: [name, height, since],
      }));
    },
  };
  await using open = new AsyncDisposableStack();
  const sink = open.use(await FileSink.create(path, { checksum: false }));
  const context = quietContext(scratch, (close) => open.defer(close));
  await findWriter('ShapefileWriter')!.write(layer, {}, sink, context);
  await sink.flush();
}

/** Maximum deviation from PROJ in degrees: the GeoJSON has seven decimals. */
const TOLERANCE = 1e-7;

/**
 * Compares the GeoJSON with the gauges. Returns the differences, which are empty if it is correct, and its first
 * feature.
 */
export async function gaugeFaults(gauges: readonly Gauge[], path: string): Promise<{ wrong: string[]; first: string }> {
  const { features } = JSON.parse(await readFile(path, 'utf8')) as {
    features: { geometry: { coordinates: number[] }; properties: Record<string, unknown> }[];
  };
  const [x, y] = [Float64Array.from(gauges, (one) => one.x), Float64Array.from(gauges, (one) => one.y)];
  using way = await transformer({ authority: 'EPSG', code: terrain.srid }, { authority: 'EPSG', code: 4326 });
  way.forward(x, y);
  const wrong = features.length === gauges.length ? [] : [`it has ${features.length} gauges, not ${gauges.length}`];
  for (const [n, { name, height, since }] of gauges.entries()) {
    const { geometry, properties } = features[n] ?? { geometry: { coordinates: [] }, properties: {} };
    const [longitude = Number.NaN, latitude = Number.NaN] = geometry.coordinates;
    if (!(Math.abs(longitude - x[n]!) <= TOLERANCE && Math.abs(latitude - y[n]!) <= TOLERANCE))
      wrong.push(`${name} lies at ${longitude} ${latitude}, not at ${x[n]} ${y[n]}`);
    if (properties.name !== name || properties.height !== height || properties.since !== since)
      wrong.push(`${name} has the properties ${JSON.stringify(properties)}`);
  }
  return { wrong, first: JSON.stringify(features[0]) };
}
