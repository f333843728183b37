import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { gisFormat } from './signature.ts';

export const gisReader = defineReader({
  name: 'GISReader',
  description: 'FlatGeobuf 3 (.fgb), with or without an index: the store of features.',
  format: 'gis',
  produces: 'features',
  has: ['place', 'items'],
  readsParts: async (source) => (await import('./parts.ts')).isIndexed(source),
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const gisWriter = defineWriter({
  name: 'GISWriter',
  description: 'The store of features: FlatGeobuf 3 (.fgb) with a spatial index, its features along a Hilbert curve.',
  format: 'gis',
  accepts: ['features'],
  bridged: ['mesh'],
  extension: gisFormat.extensions[0],
  mediaType: 'application/vnd.flatgeobuf',
  appends: { declared: true, ids: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
