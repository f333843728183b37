import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { csvFormat } from './signature.ts';

export const csvReader = defineReader({
  name: 'CsvReader',
  description:
    'Table of text (.csv, .tsv): points by x and y, geometries as WKT, time series, or rows without a place.',
  format: 'csv',
  produces: ['features', 'series'],
  has: ['place', 'items', 'times'],
  rowsOfText: true,
  megabytesPerSecond: 10,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const csvWriter = defineWriter({
  name: 'CsvWriter',
  description: 'Table of text (.csv): features with x and y or WKT, or time series with a column per item.',
  format: 'csv',
  accepts: ['features', 'series'],
  bridged: ['mesh', 'grid'],
  extension: csvFormat.extensions[0],
  mediaType: 'text/csv',
  appends: { declared: false },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
