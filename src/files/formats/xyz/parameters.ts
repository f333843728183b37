import { z } from 'zod';
import { Srid } from '../srid.ts';

/** Maximum number of columns of a line. */
export const maxColumns = 1024;

export const readParameters = z.object({
  ZColumnIndex: z
    .int()
    .min(2)
    .max(maxColumns - 1)
    .default(2)
    .describe('Column of z, counted from 0.'),
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. The format does not store it.').optional(),
});

export const writeParameters = z.object({});
