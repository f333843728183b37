import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { kmlFormat } from './signature.ts';

export const kmlReader = defineReader({
  name: 'KmlReader',
  description: 'KML 2.0 to 2.3 or KMZ: the placemarks of a folder, with their extended data as fields.',
  format: 'kml',
  produces: 'features',
  has: ['place', 'items'],
  megabytesPerSecond: 20,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const kmlWriter = defineWriter({
  name: 'KmlWriter',
  description: 'KML 2.2 in WGS 84, with the fields as extended data.',
  format: 'kml',
  accepts: ['features'],
  bridged: ['mesh'],
  extension: kmlFormat.extensions[0],
  mediaType: 'application/vnd.google-earth.kml+xml',
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
