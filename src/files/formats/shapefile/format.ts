import { defineReader, defineWriter } from '../define.ts';
import { zipType } from '../file-type.ts';
import { readParameters, writeParameters } from './parameters.ts';

export const shapefileReader = defineReader({
  name: 'ShapefileReader',
  description: 'Shapefile in a zip: .shp and, if present, .dbf, .shx, .prj and .cpg, also in folders and nested zips.',
  format: 'shapefile',
  produces: 'features',
  has: ['place', 'items'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const shapefileWriter = defineWriter({
  name: 'ShapefileWriter',
  description:
    'Zip with one shapefile per kind of geometry, and per step of a mesh: .shp, .shx, .dbf, .cpg (UTF-8) and .prj.',
  format: 'shapefile',
  accepts: ['features'],
  bridged: ['mesh'],
  layers: 'several',
  ...zipType,
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
