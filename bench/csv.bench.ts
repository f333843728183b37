import type { Feature, FeatureCollection } from '../src/files/data/feature-collection.ts';
import { against } from './against-ogr2ogr.ts';

const count = Number(process.env.BENCH_POINTS ?? 1_000_000);
const perChunk = 4096;

function* chunks(): Generator<readonly Feature[]> {
  for (let first = 0; first < count; first += perChunk)
    yield Array.from({ length: Math.min(perChunk, count - first) }, (_, k): Feature => {
      const n = first + k;
      const coordinates = Float64Array.of(5 + (n % 1000) / 97, 45 + n / 100_003);
      return {
        values: [n, `station ${n}`, Math.sin(n) * 100, '2024-02-29T12:00:00'],
        geometry: { type: 'Point', coordinates },
      };
    });
}

const points: FeatureCollection = {
  kind: 'features',
  crs: { authority: 'EPSG', code: 4326 },
  fields: [
    { name: 'number', type: 'integer' },
    { name: 'station', type: 'string' },
    { name: 'level', type: 'real' },
    { name: 'at', type: 'dateTime' },
  ],
  hasZ: false,
  hasM: false,
  geometryTypes: ['Point'],
  async *chunks() {
    yield* chunks();
  },
};

const readingCsv = {
  from: 'first',
  reader: 'CsvReader',
  readerParameters: { SRID: 4326 },
  options: [
    '-oo',
    'AUTODETECT_TYPE=YES',
    '-oo',
    'X_POSSIBLE_NAMES=x',
    '-oo',
    'Y_POSSIBLE_NAMES=y',
    '-oo',
    'KEEP_GEOM_COLUMNS=NO',
  ],
  target: 2,
} as const;

/**
 * A million points (BENCH_POINTS) written as CSV and read again, against ogr2ogr in turns; the best of BENCH_ROUNDS. A
 * FlatGeobuf is written in spatial order, which takes longer than reading; a GeoJSON is not.
 */
export const bench = (): Promise<void> =>
  against(points, [
    {
      what: `${count} points, FlatGeobuf to CSV`,
      from: 'made',
      extension: '.csv',
      reader: 'GISReader',
      writer: 'CsvWriter',
      arguments: ['-f', 'CSV', '-lco', 'GEOMETRY=AS_XY'],
      options: ['-oo', 'VERIFY_BUFFERS=NO'],
      target: 2,
    },
    {
      ...readingCsv,
      what: `${count} points, CSV to GeoJSON`,
      extension: '.geojson',
      writer: 'GeoJsonWriter',
      arguments: ['-f', 'GeoJSON', '-a_srs', 'EPSG:4326'],
    },
    {
      ...readingCsv,
      what: `${count} points, CSV to FlatGeobuf`,
      extension: '.fgb',
      writer: 'GISWriter',
      arguments: ['-f', 'FlatGeobuf', '-a_srs', 'EPSG:4326'],
    },
  ]);
