import type { Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import type { readParameters } from './parameters.ts';

/** The other layers are the points of routes and tracks once more. */
const whole = ['waypoints', 'routes', 'tracks'];

export const read: Read<typeof readParameters> = async (source, { SRID, Layer }, context) => {
  const path = await copyToFolder(source, 'features.gpx', context);
  return readByGdal({ path, driver: 'GPX' }, { layer: Layer, among: whole, srid: SRID }, context);
};
