import type { Read } from '../define.ts';
import { readGrid } from '../io/dfs/grid-reader.ts';
import { openChosen } from '../io/dfs/open.ts';
import type { readParameters } from '../io/dfs/parameters.ts';

export const read: Read<typeof readParameters> = async (source, { AllowedItemNames, SRID }, context) => {
  const opened = await openChosen(source, 'dfs3', AllowedItemNames, context);
  return readGrid(opened, { SRID }, context);
};
