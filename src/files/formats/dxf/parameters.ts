import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides that of the file.').optional(),
});
