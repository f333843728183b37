import { defineReader, defineWriter } from '../define.ts';
import { SERIES_FORMAT } from './content.ts';
import { readParameters, writeParameters } from './parameters.ts';

export const tsReader = defineReader({
  name: 'TSReader',
  description: 'The store of time series: all series of a dataset over the union of their times.',
  format: SERIES_FORMAT,
  rows: true,
  produces: 'series',
  has: ['items', 'times'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const tsWriter = defineWriter({
  name: 'TSWriter',
  description: 'The store of time series: a series for each item, for queries by time.',
  format: SERIES_FORMAT,
  rows: true,
  accepts: ['series'],
  bridged: ['grid', 'mesh'],
  extension: '',
  mediaType: 'application/octet-stream',
  appends: { declared: true, onlyAdded: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
