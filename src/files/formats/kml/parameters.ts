import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, if the file breaks the rule that it is WGS 84.').optional(),
  Layer: z.string().min(1).describe('Name or path of the folder, for a file with features in several.').optional(),
});

export const writeParameters = z.object({
  LayerName: z
    .string()
    .min(1)
    .describe('Name of the document. Default: the name of the dataset or file.')
    .meta({ default: 'name of the data' })
    .optional(),
});
