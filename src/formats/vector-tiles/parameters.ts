import { z } from 'zod';

/** As of the tiles that are drawn on request. */
export const deepestLevel = 22;

const Level = z.int().min(0).max(deepestLevel);

export const writeParameters = z.object({
  MinZoom: Level.default(0).describe('First zoom level.'),
  MaxZoom: Level.optional().describe(
    'Last zoom level. Default: 14, or less where the area has more than 1,000,000 tiles.',
  ),
  LayerName: z.string().min(1).max(200).default('features').describe('Name of the layer, which styles refer to.'),
  Attributes: z
    .union([z.array(z.string()), z.string()])
    .optional()
    .describe('Names of the attributes, as a list or with commas between. Default: all.'),
});
