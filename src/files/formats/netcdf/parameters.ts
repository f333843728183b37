import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  Group: z
    .string()
    .max(1000)
    .describe('Path of the group to read, such as /forecast. Default: the root, or the only group that has variables.')
    .optional(),
  Topology: z
    .string()
    .max(1000)
    .describe('Name of the mesh to read (a topology variable of UGRID), if the file has several.')
    .optional(),
  Mesh: z.string().max(1000).describe('The same as Topology.').optional(),
  AllowedItemNames: z.array(z.string()).describe('Names of the items to read. Default: all.').optional(),
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the file.').optional(),
});
