import { z } from 'zod';
import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import type { Context } from '../define.ts';
import { defineWriter } from '../define.ts';
import { spill } from '../io/spill.ts';
import { arrayContent } from './array-content.ts';
import type { StoreContent } from './content.ts';
import { writeContent } from './content.ts';
import { gridContent } from './grid-content.ts';
import { meshContent } from './mesh-content.ts';
import { StoreWriter } from './store-writer.ts';

export const mdWriter = defineWriter({
  name: 'MDWriter',
  description: 'Multidimensional store: Zarr 3 in a zip, with all items, steps and layers of a grid, mesh or array.',
  format: 'md',
  accepts: ['grid', 'mesh', 'array'],
  extension: '.zarr.zip',
  mediaType: 'application/zip',
  parameters: z.object({}),
  appends: { declared: true },
  async write(data, _parameters, sink, context): Promise<undefined> {
    if (data.kind !== 'grid' || data.bands.every(({ type }) => type !== undefined))
      return writeTyped(data, sink, context);
    // The metadata, which name the types, come before the values.
    const { grid, close } = await spill(data, context.scratch);
    try {
      return await writeTyped(grid, sink, context);
    } finally {
      await close();
    }
  },
});

async function writeTyped(data: Grid | Mesh | MultiArray, sink: ByteSink, context: Context): Promise<undefined> {
  await writeContent(await contentOf(data), new StoreWriter(sink), context);
}

function contentOf(data: Grid | Mesh | MultiArray): Promise<StoreContent> {
  if (data.kind === 'grid') return gridContent(data);
  return data.kind === 'mesh' ? meshContent(data) : arrayContent(data);
}
