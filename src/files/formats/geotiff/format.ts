import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { geoTiffFormat } from './signature.ts';

export const geoTiffReader = defineReader({
  name: 'GeoTiffReader',
  description:
    'GeoTIFF or BigTIFF (.tif), the first image of the file; or a zip of images, one per step, with times in the names of bands.',
  format: 'geotiff',
  produces: 'grid',
  has: ['place', 'items', 'times'],
  readsParts: async (source) => (await import('./parts.ts')).hasSmallBlocks(source),
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const geoTiffWriter = defineWriter({
  name: 'GeoTiffWriter',
  description: 'GeoTIFF (.tif) with all bands. A mesh is interpolated.',
  format: 'geotiff',
  accepts: ['grid'],
  bridged: ['features', 'mesh', 'array'],
  extension: geoTiffFormat.extensions[0],
  otherExtensions: geoTiffFormat.extensions.slice(1),
  mediaType: 'image/tiff',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
