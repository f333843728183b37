import type { Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import type { readParameters } from './parameters.ts';
import { findPointParts, reportPointParts } from './point-parts.ts';

/** The other layers are the points of routes and tracks once more. */
const whole = ['waypoints', 'routes', 'tracks'];

export const read: Read<typeof readParameters> = async (source, { SRID, Layer }, context) => {
  const path = await copyToFolder(source, 'features.gpx', context);
  const parts = await findPointParts(source, context.signal);
  const features = await readByGdal(
    // Heights of single points are the field `ele`, which may be missing.
    { path, driver: 'GPX', configuration: { GPX_ELE_AS_25D: 'YES' } },
    {
      layer: Layer,
      among: whole,
      srid: SRID,
      hasHeights: (layer) => (parts[layer]?.withHeight ?? 0) > 0,
    },
    context,
  );
  const own = parts[features.name ?? ''];
  if (own !== undefined) reportPointParts(features.name!, own, context);
  return features;
};
