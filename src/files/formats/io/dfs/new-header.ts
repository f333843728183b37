import type { Item } from '../../../data/item.ts';
import { type DeleteValues, type DfsHeader, type DfsItem, usualDeleteValues } from './header.ts';
import { newHead } from './write-header.ts';

type Needed = Pick<DfsHeader, 'items' | 'time' | 'deleteValues'>;

/**
 * The header of a new file. Absent members come from the header of the source file, if there is one, except blocks that
 * describe its values (static items, custom and unknown blocks): these are written only if they are given. Items keep
 * their links to static items if all static items are given.
 */
export const newHeader = (
  given: Needed & Partial<Omit<DfsHeader, 'head'>>,
  from: DfsHeader | undefined,
): DfsHeader => ({
  head: newHead(new Date()),
  title: from?.title ?? '',
  application: from?.application ?? '',
  version: from?.version ?? 0,
  dataType: from?.dataType ?? 0,
  statisticsType: from?.statisticsType ?? 1,
  custom: [],
  statics: [],
  compressed: false,
  unknown: [],
  ...given,
  ...(from !== undefined && given.statics?.length === from.statics.length
    ? { items: given.items.map((item) => ({ ...item, ...linksOf(item, from) })) }
    : {}),
});

/** Attributes of the only item of the file with this name and quantity. */
function linksOf({ name, eumItem }: DfsItem, { items }: DfsHeader): Pick<DfsItem, 'statics'> {
  const same = items.filter((one) => one.name === name && one.eumItem === eumItem);
  const [only] = same;
  return same.length === 1 && only?.statics !== undefined ? { statics: only.statics } : {};
}

/**
 * Delete values of a new file: those of the source DFS file; else the nodata values of items with an EUM quantity,
 * which once came from a DFS file; else the usual ones.
 */
export function newDeleteValues(items: readonly Item[], from: DfsHeader | undefined): DeleteValues {
  if (from !== undefined) return from.deleteValues;
  const values = { ...usualDeleteValues };
  for (const type of ['Float32', 'Float64'] as const) {
    const known = items.find(
      ({ eum, nodata = Number.NaN, ...item }) => eum !== undefined && item.type === type && !Number.isNaN(nodata),
    );
    if (known?.nodata !== undefined) values[type] = known.nodata;
  }
  return values;
}
