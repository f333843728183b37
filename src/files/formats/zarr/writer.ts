import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import type { Context, Write } from '../define.ts';
import { spill } from '../io/spill.ts';
import { arrayContent } from '../io/store/array-content.ts';
import { type StoreContent, writeContent } from '../io/store/content.ts';
import { gridContent } from '../io/store/grid-content.ts';
import { meshContent } from '../io/store/mesh-content.ts';
import { zarrNaming } from '../io/store/naming.ts';
import type { writeParameters } from './parameters.ts';
import { StoreWriter } from './store-writer.ts';

export const write: Write<typeof writeParameters, 'grid' | 'mesh' | 'array'> = async (
  data,
  _parameters,
  sink,
  context,
): Promise<undefined> => {
  if (data.kind !== 'grid' || data.bands.every(({ type }) => type !== undefined))
    return writeTyped(data, sink, context);
  // The metadata, which name the types, come before the values.
  await using spilled = await spill(data, context.scratch);
  return await writeTyped(spilled.grid, sink, context);
};

async function writeTyped(data: Grid | Mesh | MultiArray, sink: ByteSink, context: Context): Promise<undefined> {
  await writeContent(await contentOf(data), new StoreWriter(sink, context), context);
}

function contentOf(data: Grid | Mesh | MultiArray): Promise<StoreContent> {
  if (data.kind === 'grid') return gridContent(data, zarrNaming);
  return data.kind === 'mesh' ? meshContent(data, zarrNaming) : arrayContent(data, zarrNaming);
}
