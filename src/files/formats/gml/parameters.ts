import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides that of the file.').optional(),
  Layer: z.string().min(1).describe('Name of the feature type, for a file with several.').optional(),
});
