import { z } from 'zod';
import { defineReader } from '../define.ts';
import { readGrid } from '../io/dfs/grid-reader.ts';
import { openChosen } from '../io/dfs/open.ts';
import { readerParameters } from '../io/dfs/parameters.ts';

export const dfs3Reader = defineReader({
  name: 'Dfs3Reader',
  description: 'DFS3 file: a grid in space over time, also compressed.',
  format: 'dfs3',
  produces: 'grid',
  has: ['place', 'items', 'times', 'layers'],
  parameters: z.object(readerParameters),
  async read(source, { AllowedItemNames, SRID }, context) {
    const opened = await openChosen(source, 'dfs3', AllowedItemNames, context);
    return readGrid(opened, { SRID }, context);
  },
});
