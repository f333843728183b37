import { defineWriter } from '../../formats/define.ts';
import { geoPackageFormat } from '../../formats/geopackage/signature.ts';
import { writeParameters } from './parameters.ts';

export const geoPackageWriter = defineWriter({
  name: 'GeoPackageWriter',
  description:
    'GeoPackage 1.3 (.gpkg): a layer of features with a spatial index (R-tree); of grids, and of meshes with TilingSchemes, tiles (PNG).',
  format: geoPackageFormat.format,
  accepts: ['features', 'grid'],
  acceptsWith: { parameter: 'TilingSchemes', kinds: ['grid', 'mesh'] },
  bridged: ['mesh'],
  layers: 'several',
  extension: geoPackageFormat.extensions[0],
  mediaType: 'application/geopackage+sqlite3',
  appends: { declared: true, ids: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
