import { distinctName } from '../../data/distinct-name.ts';
import type { Item, Samples, SampleType } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { componentCount } from '../../data/mesh-cells.ts';
import { convertSamples, isFloat, sampleTypeOf } from '../../data/samples.ts';
import type { VtuArray } from './encode.ts';

/** Name of the point array with the boundary codes of the nodes. */
export const NODE_CODES = 'NodeCode';

/** An item and its array. Names are unique among the point arrays, and among the cell arrays. */
export interface ItemArray {
  /** Index of the item in the mesh. */
  readonly index: number;
  readonly item: MeshItem;
  readonly name: string;
}

/** Items at points, then items of cells; repeated names end in `_2`, `_3` … */
export function itemArrays(mesh: Mesh): ItemArray[] {
  const usedNames = { node: new Set(mesh.nodeCodes === undefined ? [] : [NODE_CODES]), cell: new Set<string>() };
  const named = mesh.items.map((item, index) => ({
    index,
    item,
    name: distinctName(item.name || `Item ${index + 1}`, usedNames[item.location]),
  }));
  return (['node', 'cell'] as const).flatMap((location) => named.filter(({ item }) => item.location === location));
}

/** The values of an item as VTK stores them: scale and offset applied, NaN for no data, components interleaved. */
export function arrayOf({ item, name }: Pick<ItemArray, 'item' | 'name'>, samples: Samples): VtuArray {
  const components = componentCount(item);
  return {
    name,
    values: interleaved(realValues(samples, item), components),
    ...(components === 1 ? {} : { components }),
    ...(item.unit ? { unit: item.unit } : {}),
  };
}

/** The values of one component that come in blocks, as `arrayOf` would store them. */
export async function blocksOf(
  { item, name }: Pick<ItemArray, 'item' | 'name'>,
  read: () => AsyncIterable<Samples>,
): Promise<Omit<VtuArray, 'values'> & { type: SampleType; blocks: AsyncIterable<Samples> }> {
  const type = await storedType(item, read);
  async function* blocks() {
    for await (const samples of read()) yield convertSamples(realValues(samples, item), type);
  }
  return { name, type, blocks: blocks(), ...(item.unit ? { unit: item.unit } : {}) };
}

/** Integers with a deleted value are stored as doubles, because only these have NaN. */
async function storedType(item: Item, read: () => AsyncIterable<Samples>): Promise<SampleType> {
  const { type = 'Float64', nodata, scale = 1, offset = 0 } = item;
  if (scale !== 1 || offset !== 0) return 'Float64';
  if (isFloat(type) || nodata === undefined) return type;
  for await (const samples of read()) if (samples.includes(nodata)) return 'Float64';
  return type;
}

function realValues(samples: Samples, { nodata, scale = 1, offset = 0 }: Item): Samples {
  const type = sampleTypeOf(samples);
  const deleted = type === 'Float32' && nodata !== undefined ? Math.fround(nodata) : nodata;
  const isPlain = scale === 1 && offset === 0;
  const holdsDeleted = deleted !== undefined && !Number.isNaN(deleted) && samples.includes(deleted);
  if (isPlain && !holdsDeleted) return samples;
  const values = isFloat(type) && isPlain ? samples.slice() : convertSamples(samples, 'Float64').slice();
  for (let i = 0; i < values.length; i++)
    values[i] = holdsDeleted && samples[i] === deleted ? Number.NaN : samples[i]! * scale + offset;
  return values;
}

/** In the model points or cells vary fastest, in VTK components. */
function interleaved(values: Samples, components: number): Samples {
  if (components === 1) return values;
  const places = values.length / components;
  const changed = values.slice();
  for (let component = 0; component < components; component++)
    for (let place = 0; place < places; place++)
      changed[place * components + component] = values[component * places + place]!;
  return changed;
}
