import type { Read } from '../define.ts';
import { readGrid } from '../io/dfs/grid-reader.ts';
import { openChosen } from '../io/dfs/open.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (
  source,
  { AllowedItemNames, SRID, CoordinateInterpretationType },
  context,
) => {
  const opened = await openChosen(source, 'dfs2', AllowedItemNames, context);
  return readGrid(opened, { SRID, interpretation: CoordinateInterpretationType }, context);
};
