import type { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import type { Data } from '../../data/data.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import type { Series } from '../../data/series.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Context, Read } from '../define.ts';
import { readCf } from '../io/cf/read.ts';
import { allowedItems } from '../io/dfs/parameters.ts';
import { cfFileOf } from './cf/cf-file.ts';
import { isSeries, readSeries } from './cf/series.ts';
import { readDescribed } from './described.ts';
import { chosenGroup } from './groups.ts';
import { openNetCdf } from './open.ts';
import type { readParameters } from './parameters.ts';
import { readUgrid, topologiesOf } from './ugrid/read-mesh.ts';

type NetCdfData = Grid | Mesh | Series | MultiArray;
type Parameters = z.output<typeof readParameters>;

export const read: Read<typeof readParameters> = async (source, parameters, context): Promise<Data> => {
  const data = await dataOf(source, parameters, context);
  return parameters.SRID === undefined ? data : { ...data, crs: parseSrid(parameters.SRID) };
};

async function dataOf(source: ByteSource, parameters: Parameters, context: Context): Promise<NetCdfData> {
  const group = chosenGroup(await openNetCdf(source, context), parameters.Group, context);
  const described = await readDescribed(group, parameters.AllowedItemNames, context);
  if (described !== undefined) return described;
  for (const reason of group.unreadable.values()) context.reportLoss(reason);
  const file = cfFileOf(group);
  const options = {
    names: 'long' as const,
    allowed: (items: readonly { readonly name?: string }[]) =>
      allowedItems(items, parameters.AllowedItemNames, context),
  };
  const topologies = topologiesOf(file);
  if (topologies.length > 0) return readUgrid(file, parameters.Topology ?? parameters.Mesh, options, context);
  if (isSeries(group, file)) return readSeries(group, file, options, context);
  const { data, reportInvalid } = await readCf(file, context, options);
  await reportInvalid(context.signal);
  return data;
}
