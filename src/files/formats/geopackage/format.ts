import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { geoPackageFormat } from './signature.ts';

export const geoPackageReader = defineReader({
  name: 'GeoPackageReader',
  description: 'GeoPackage (.gpkg): a layer of features or of rows without geometry.',
  format: 'geopackage',
  produces: 'features',
  has: ['place', 'items'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const geoPackageWriter = defineWriter({
  name: 'GeoPackageWriter',
  description: 'GeoPackage 1.3 (.gpkg): a layer of features with a spatial index (R-tree).',
  format: 'geopackage',
  accepts: ['features'],
  bridged: ['mesh'],
  layers: 'several',
  extension: geoPackageFormat.extensions[0],
  mediaType: 'application/geopackage+sqlite3',
  appends: { declared: true, ids: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
