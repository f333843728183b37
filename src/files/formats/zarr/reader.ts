import type { ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Context, Read } from '../define.ts';
import { withDetectedFormat } from '../detect.ts';
import { shown } from '../io/zip.ts';
import { dataOfStore } from './open.ts';
import type { readParameters } from './parameters.ts';
import { ZarrStore } from './store.ts';

export const read: Read<typeof readParameters> = async (
  source,
  { SRID, Group },
  context,
): Promise<Grid | Mesh | MultiArray> => {
  const data = await open(source, Group, context);
  return SRID === undefined ? data : { ...data, crs: parseSrid(SRID) };
};

async function open(
  source: ByteSource,
  group: string | undefined,
  context: Context,
): Promise<Grid | Mesh | MultiArray> {
  try {
    const store = await ZarrStore.open(source, { group });
    if (group === undefined && store.group !== '')
      context.remark(`The group '/${shown(store.group)}' was read: no other one has arrays.`);
    const { data, reportInvalid } = await dataOfStore(store, context);
    await reportInvalid?.(context.signal);
    return data;
  } catch (error) {
    throw await withDetectedFormat(error, source, 'md');
  }
}
