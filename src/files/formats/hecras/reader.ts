import type { Mesh } from '../../data/mesh.ts';
import { stepCount } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import { crsFromWkt, parseSrid } from '../../geo/crs/crs.ts';
import type { Context, Read } from '../define.ts';
import type { readParameters } from '../io/dfs/parameters.ts';
import { allowedItems } from '../io/dfs/parameters.ts';
import { openHdf5 } from '../io/hdf5/library.ts';
import { readAreas } from './areas.ts';
import { Hdf5Values } from './hdf5-values.ts';
import { readItems } from './items.ts';
import { timesOf } from './results.ts';

export const read: Read<typeof readParameters> = async (source, { SRID, AllowedItemNames }, context): Promise<Mesh> => {
  const file = new Hdf5Values(await openHdf5(source, context), source.size);
  const { areas, geometry } = readAreas(file, context);
  const time = timesOf(file);
  if (time === undefined) context.remark('The file has no results over time; only the elevation of the bed was read.');
  const items = readItems(file, areas, time === undefined ? 0 : stepCount(time), context);
  context.remark('The file has no heights of points; they are the mean of the lowest elevations of the cells around.');
  const chosen = allowedItems(
    items.map(({ item }) => item),
    AllowedItemNames,
    context,
  );
  const crs = SRID === undefined ? await crsOf(file, context) : parseSrid(SRID);
  return {
    kind: 'mesh',
    ...(crs === undefined ? {} : { crs }),
    ...geometry,
    items: chosen.map((n) => items[n]!.item),
    ...(time === undefined ? {} : { time }),
    values: async (item, step) => {
      const all = new Float32Array(geometry.shapes.length).fill(Number.NaN);
      for (const [n, { cells }] of areas.entries()) {
        const values = items[chosen[item]!]!.areas[n]?.(step);
        for (const [place, cell] of cells.entries())
          if (values !== undefined && cell >= 0 && place < values.length) all[cell] = values[place]!;
      }
      return all;
    },
  };
};

async function crsOf(file: Hdf5Values, { remark }: Context): Promise<Mesh['crs']> {
  const text = file.attribute('/', 'Projection') ?? '';
  if (text === '') return undefined;
  try {
    return await crsFromWkt(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    remark(`The projection of the file was ignored: ${error.message}`);
    return undefined;
  }
}
