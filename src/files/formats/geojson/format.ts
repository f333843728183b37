import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';
import { geoJsonFormat } from './signature.ts';

export const geoJsonReader = defineReader({
  name: 'GeoJsonReader',
  description:
    'GeoJSON (RFC 7946): a FeatureCollection, Feature or geometry, or a sequence of them (RFC 8142 or one per line). Reads the crs member of GeoJSON 2008.',
  format: 'geojson',
  produces: 'features',
  has: ['place', 'items'],
  megabytesPerSecond: 30,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const geoJsonWriter = defineWriter({
  name: 'GeoJsonWriter',
  description: 'GeoJSON (RFC 7946). Coordinates in another system than WGS 84 are kept, with a crs member.',
  format: 'geojson',
  accepts: ['features'],
  bridged: ['mesh'],
  extension: geoJsonFormat.extensions[0],
  mediaType: 'application/geo+json',
  appends: { declared: false },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
