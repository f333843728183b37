import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides that of the file.').optional(),
  Layer: z.string().min(1).describe('Name of the layer (table or view), for a file with several.').optional(),
});

export const writeParameters = z.object({
  LayerName: z
    .string()
    .min(1)
    .max(200)
    .describe('Name of the layer (table). Default: the name of the dataset or file.')
    .optional(),
});
