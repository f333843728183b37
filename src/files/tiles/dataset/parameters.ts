import { z } from 'zod';
import { checkSchemes, DRAW_AHEAD_TILES, MOST_TILES } from './schemes.ts';

const TilingSchemes = z
  .array(z.unknown())
  .superRefine((list, { addIssue }) => {
    const [first] = checkSchemes(list).errors;
    if (first !== undefined) addIssue({ code: 'custom', message: first });
  })
  .describe(
    'Required for a new dataset; an update without them draws those that the dataset has. Schemes, such as [{"schemeId": "depth", "schemeType": "XYZ", "itemName": "Depth", "outputType": "PNG", "colors": ["#F7FBFF", "#08306B"]}]. ' +
      'Only schemeId is required; the guide describes all members.',
  );

// optional in the schema for updates and appends, which take those of the dataset (`Writer.kept`)
export const writeParameters = z.object({
  TilingSchemes: TilingSchemes.meta({ requiredInLists: true }).optional(),
  DrawAheadTiles: z
    .int()
    .min(0)
    .max(MOST_TILES)
    .default(DRAW_AHEAD_TILES)
    .describe(
      'The most tiles of each scheme of XYZ that are drawn ahead, from the level of the least detail on. Deeper levels are drawn at their first request.',
    ),
});
