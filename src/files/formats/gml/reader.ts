import type { Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (source, { SRID, Layer }, context) => {
  const path = await copyToFolder(source, 'features.gml', context);
  return readByGdal({ path, driver: 'GML' }, { layer: Layer, srid: SRID }, context);
};
