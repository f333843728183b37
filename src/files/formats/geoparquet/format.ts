import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { geoParquetFormat } from './signature.ts';

export const geoParquetReader = defineReader({
  name: 'GeoParquetReader',
  otherNames: ['ParquetReader'],
  description:
    'GeoParquet 1.0 to 2.0 (.parquet): features, or without geometry time series or rows. ParquetReader is the same.',
  format: 'geoparquet',
  produces: ['features', 'series'],
  has: ['place', 'items', 'times'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const geoParquetWriter = defineWriter({
  name: 'GeoParquetWriter',
  description: 'GeoParquet 1.1 or 2.0 (.parquet): features in spatial order, or time series as a table.',
  format: 'geoparquet',
  accepts: ['features', 'series'],
  bridged: ['mesh', 'grid'],
  extension: geoParquetFormat.extensions[0],
  otherExtensions: geoParquetFormat.extensions.slice(1),
  mediaType: 'application/vnd.apache.parquet',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
