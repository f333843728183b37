import { against } from './against-ogr2ogr.ts';
import { parcels, side } from './parcels.ts';

/**
 * Polygons (BENCH_SIDE²) written as GeoPackage with an R-tree and read again, against ogr2ogr without syncs and in one
 * transaction, in turns; the best of BENCH_ROUNDS.
 */
export const bench = (): Promise<void> =>
  against(parcels, [
    {
      what: `${side ** 2} polygons, FlatGeobuf to GeoPackage`,
      from: 'made',
      extension: '.gpkg',
      reader: 'GISReader',
      writer: 'GeoPackageWriter',
      arguments: [
        '-f',
        'GPKG',
        '-gt',
        'unlimited',
        '--config',
        'OGR_SQLITE_SYNCHRONOUS',
        'OFF',
        '--config',
        'OGR_SQLITE_JOURNAL',
        'OFF',
      ],
      options: ['-oo', 'VERIFY_BUFFERS=NO'],
      target: 1,
    },
    {
      what: `${side ** 2} polygons, GeoPackage to GeoJSON`,
      from: 'first',
      extension: '.geojson',
      reader: 'GeoPackageReader',
      writer: 'GeoJsonWriter',
      arguments: ['-f', 'GeoJSON', '--config', 'OGR_GPKG_NUM_THREADS', '2'],
      target: 1,
    },
    {
      what: `${side ** 2} polygons, GeoPackage to FlatGeobuf`,
      from: 'first',
      extension: '.fgb',
      reader: 'GeoPackageReader',
      writer: 'GISWriter',
      arguments: ['-f', 'FlatGeobuf', '--config', 'OGR_GPKG_NUM_THREADS', '2'],
      target: 1,
    },
  ]);
