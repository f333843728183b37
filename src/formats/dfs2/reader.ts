import { z } from 'zod';
import { defineReader } from '../define.ts';
import { readGrid } from '../io/dfs/grid-reader.ts';
import { openChosen } from '../io/dfs/open.ts';
import { readerParameters } from '../io/dfs/parameters.ts';

export const dfs2Reader = defineReader({
  name: 'Dfs2Reader',
  description: 'DFS2 file: a plane grid over time.',
  format: 'dfs2',
  produces: 'grid',
  has: ['place', 'items', 'times'],
  parameters: z.object({
    ...readerParameters,
    CoordinateInterpretationType: z
      .enum(['CenterOfCell', 'BottomLeftBorder', 'Borders'])
      .describe(
        'Meaning of the position in the file: centre of the first cell, its lower left corner, or lower left corner of a domain on whose borders the first and last values stand. Local coordinates (NON-UTM or none) are those of the corner unless a value is given.',
      )
      .meta({ default: 'CenterOfCell' })
      .optional(),
  }),
  async read(source, { AllowedItemNames, SRID, CoordinateInterpretationType }, context) {
    const opened = await openChosen(source, 'dfs2', AllowedItemNames, context);
    return readGrid(opened, { SRID, interpretation: CoordinateInterpretationType }, context);
  },
});
