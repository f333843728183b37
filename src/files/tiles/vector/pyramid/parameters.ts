import { z } from 'zod';
import { hasBidiControls, NO_BIDI_CONTROLS } from '../../../data/bidi-controls.ts';

/** The deepest zoom level, as for tiles that are drawn on request. */
export const deepestLevel = 22;

const Level = z.int().min(0).max(deepestLevel);

export const writeParameters = z.object({
  MinZoom: Level.default(0).describe('First zoom level.'),
  MaxZoom: Level.optional().describe(
    'Last zoom level. Default: 14, or less where the area has more than 1,000,000 tiles.',
  ),
  MinFeatures: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Draws only tiles with at least this many features, or 8 MB of them, from the first level on until there are 256, or 5 for each MinFeatures of the data. Default: all tiles.',
    ),
  LayerName: z
    .string()
    .min(1)
    .max(200)
    .refine((name) => !hasBidiControls(name), NO_BIDI_CONTROLS)
    .default('features')
    .describe('Name of the layer, which styles refer to.'),
  Attributes: z
    .union([z.array(z.string()), z.string()])
    .optional()
    .describe('Names of the attributes, as a list or with commas between. Default: all.'),
});
