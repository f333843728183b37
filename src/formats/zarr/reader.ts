import { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { defineReader } from '../define.ts';
import { withDetectedFormat } from '../detect.ts';
import { Srid } from '../srid.ts';
import { dataOfStore } from './open.ts';
import { ZarrStore } from './store.ts';

export const mdReader = defineReader({
  name: 'MDReader',
  description:
    'Multidimensional store: a group of Zarr 3 in a zip, written here or by other programs with the conventions of CF.',
  format: 'md',
  produces: ['grid', 'mesh', 'array'],
  has: ['place', 'items', 'times', 'layers'],
  parameters: z.object({
    SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the store.').optional(),
  }),
  async read(source, { SRID }, context): Promise<Grid | Mesh | MultiArray> {
    const data = await open(source, context);
    return SRID === undefined ? data : { ...data, crs: parseSrid(SRID) };
  },
});

async function open(source: ByteSource, context: Context): Promise<Grid | Mesh | MultiArray> {
  try {
    const { data } = await dataOfStore(await ZarrStore.open(source), context);
    return data;
  } catch (error) {
    throw await withDetectedFormat(error, source, 'md');
  }
}
