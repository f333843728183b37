import { z } from 'zod';
import { Srid } from '../srid.ts';
import { TextEncoding } from '../text-encoding.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the .prj file.').optional(),
  Layer: z.string().min(1).describe('Name or path of the layer, for a zip with several.').optional(),
  Encoding: TextEncoding.describe(
    'Encoding of names and texts, such as UTF-8, CP1252 or IBM850. Overrides the .cpg file and the language of the table.',
  ).optional(),
});

export const writeParameters = z.object({});
