import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Read } from '../define.ts';
import { shown } from '../io/zip.ts';
import { dataOfStore } from './open.ts';
import type { readParameters } from './parameters.ts';
import { ZarrStore } from './store.ts';

export const read: Read<typeof readParameters> = async (
  source,
  { SRID, Group },
  context,
): Promise<Grid | Mesh | MultiArray> => {
  const store = await ZarrStore.open(source, { group: Group });
  if (Group === undefined && store.group !== '')
    context.remark(`The group '/${shown(store.group)}' was read: no other one has arrays.`);
  const { data, reportInvalid } = await dataOfStore(store, context);
  await reportInvalid?.(context.signal);
  return SRID === undefined ? data : { ...data, crs: parseSrid(SRID) };
};
