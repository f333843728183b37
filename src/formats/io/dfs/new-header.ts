import type { Item } from '../../../data/item.ts';
import type { DeleteValues, DfsHeader } from './header.ts';
import { usualDeleteValues } from './header.ts';
import { newHead } from './write-header.ts';

type Needed = Pick<DfsHeader, 'items' | 'time' | 'deleteValues'>;

/**
 * The header of a new file. Absent members come from the header of the source file, if there is one, except blocks that
 * describe its values (static items, custom and unknown blocks): these are written only if they are given.
 */
export const newHeader = (
  given: Needed & Partial<Omit<DfsHeader, 'head'>>,
  from: Pick<DfsHeader, 'title' | 'application' | 'version' | 'dataType' | 'statisticsType'> | undefined,
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
});

/**
 * Delete values of a new file: those of the source DFS file; else the nodata values of items with an EUM quantity,
 * which once came from a DFS file; else the usual ones.
 */
export function newDeleteValues(items: readonly Item[], from: DfsHeader | undefined): DeleteValues {
  if (from !== undefined) return from.deleteValues;
  const values = { ...usualDeleteValues };
  for (const type of ['Float32', 'Float64'] as const) {
    const nodata = items.find((item) => item.eum !== undefined && item.type === type)?.nodata;
    if (nodata !== undefined && !Number.isNaN(nodata)) values[type] = nodata;
  }
  return values;
}
