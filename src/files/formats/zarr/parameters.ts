import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the store.').optional(),
  Group: z
    .string()
    .min(1)
    .describe('Path of the group to read, such as /forecast. Absent: the root, or the only group that has arrays.')
    .optional(),
});

export const writeParameters = z.object({});
