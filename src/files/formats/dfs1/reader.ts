import type { Affine, Grid } from '../../data/grid.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Read } from '../define.ts';
import { readArray } from '../io/dfs/array-reader.ts';
import { isGrid, openCells } from '../io/dfs/grid-reader.ts';
import { openChosen } from '../io/dfs/open.ts';
import { DfsContent, dfsOrigin } from '../io/dfs/origin.ts';
import type { readParameters } from '../io/dfs/parameters.ts';

export const read: Read<typeof readParameters> = async (
  source,
  { SRID, AllowedItemNames },
  context,
): Promise<Grid | MultiArray> => {
  const opened = await openChosen(source, 'dfs1', AllowedItemNames, context);
  const { file, chosen, complete } = opened;
  const crs = SRID === undefined ? undefined : parseSrid(SRID);
  if (!isGrid(file, chosen, 1)) return readArray(opened, { own: undefined, requested: crs }, context);
  const { counts, spacing } = file.header.items[chosen[0]!]!.axis;
  const [x0, dx] = spacing as [number, number];
  // The file has no coordinates of the line: x is the distance along it.
  const affine: Affine = [x0 - dx / 2, dx, 0, -dx / 2, 0, dx];
  const place = { affine, width: counts[0]!, height: 1 };
  return {
    kind: 'grid',
    affine,
    ...(crs === undefined ? {} : { crs }),
    ...(await openCells(file, chosen)),
    origin: dfsOrigin('dfs1', new DfsContent(file, undefined, place), complete),
  };
};
