import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the .prj file.').optional(),
  Layer: z.string().min(1).describe('Name or path of the layer, for a zip with several.').optional(),
});

export const writeParameters = z.object({});
