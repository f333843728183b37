import { defineWriter } from '../../../formats/define.ts';
import { writeParameters } from './parameters.ts';

const known = {
  accepts: ['features'],
  bridged: ['mesh'],
  parameters: writeParameters,
} as const;

export const pmTilesWriter = defineWriter({
  ...known,
  name: 'PMTilesWriter',
  description:
    'Vector tiles of features (Mapbox Vector Tile 2.1) in one PMTiles 3 archive, as the vector tile route draws them.',
  format: 'pmtiles',
  extension: '.pmtiles',
  mediaType: 'application/vnd.pmtiles',
  load: () => import('./write-pmtiles.ts'),
});

export const mbTilesWriter = defineWriter({
  ...known,
  name: 'MBTilesWriter',
  description:
    'Vector tiles of features (Mapbox Vector Tile 2.1) in one MBTiles 1.3 archive, as the vector tile route draws them.',
  format: 'mbtiles',
  extension: '.mbtiles',
  mediaType: 'application/vnd.mbtiles',
  load: () => import('./write-mbtiles.ts'),
});
