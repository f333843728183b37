import { defineWriter } from '../../formats/define.ts';
import { writeParameters } from './parameters.ts';
import { USUAL_SCHEMES } from './usual-schemes.ts';

export const tilingWriter = defineWriter({
  name: 'TilingWriter',
  description:
    'Map tiles of rasters, grids and meshes: WMTS in the coordinate system of the data, XYZ in Web Mercator.',
  format: 'tiles',
  accepts: ['grid', 'mesh'],
  bridged: ['array'],
  extension: '.tiles.zip',
  mediaType: 'application/zip',
  parameters: writeParameters,
  usualParameters: { TilingSchemes: USUAL_SCHEMES },
  kept: ['TilingSchemes'],
  appends: { declared: true, byWriter: true },
  load: () => import('./writer.ts'),
});
