import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides that of the file.').optional(),
  Layer: z
    .string()
    .min(1)
    .describe(
      'waypoints, routes, tracks, route_points or track_points. Absent: the only one of waypoints, routes and tracks that has features.',
    )
    .optional(),
});
