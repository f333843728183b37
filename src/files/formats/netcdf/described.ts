import type { Data } from '../../data/data.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { allowedItems } from '../io/dfs/parameters.ts';
import { ATTRIBUTE, descriptionIn } from '../io/store/description.ts';
import { netCdfNaming } from '../io/store/naming.ts';
import type { ArrayStore } from '../io/store/opened.ts';
import { readDescribedArray } from '../io/store/read-array.ts';
import { readDescribedGrid } from '../io/store/read-grid.ts';
import { readDescribedMesh } from '../io/store/read-mesh.ts';
import { readDescribedSeries } from './described-series.ts';
import type { NetCdfGroup } from './netcdf-file.ts';
import { readStackedMesh } from './ugrid/stacked/read-stacked.ts';

type Described = Extract<Data, { kind: 'grid' | 'mesh' | 'array' | 'series' }>;

/**
 * Data of a file that this library has written, as its attribute `platform` describes them. Undefined for others, and
 * for files that were changed since.
 */
export async function readDescribed(
  group: NetCdfGroup,
  names: readonly string[] | undefined,
  context: Context,
): Promise<Described | undefined> {
  const text = group.attributes[ATTRIBUTE];
  if (typeof text !== 'string') return undefined;
  try {
    const description = descriptionIn({ [ATTRIBUTE]: JSON.parse(text) });
    if (description === undefined) return undefined;
    const chosen = allowedItems(description.items, names, context);
    const items = chosen.map((n) => description.items[n]!);
    const store = storeOf(group);
    const kept = { ...description, items } as typeof description;
    if (kept.kind === 'grid') return (await readDescribedGrid(kept, store)).data;
    if (kept.kind === 'series') return await readDescribedSeries(kept, store);
    if (kept.kind === 'mesh' && kept.stacked) return await readStackedMesh(kept, store);
    return kept.kind === 'mesh'
      ? (await readDescribedMesh(kept, store, netCdfNaming.mesh)).data
      : (await readDescribedArray(kept, store)).data;
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof SyntaxError)) throw error;
    context.remark(
      `The attribute '${ATTRIBUTE}' does not describe the file as it is (${error.message}), so the file was read by the conventions of CF.`,
    );
    return undefined;
  }
}

const storeOf = ({ variables, unreadable }: NetCdfGroup): ArrayStore => ({
  arrays: variables,
  array(name) {
    const found = variables.get(name);
    if (found !== undefined) return found;
    throw new FormatError(unreadable.get(name) ?? `The file has no variable '${name}'.`);
  },
});
