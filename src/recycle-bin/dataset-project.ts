import { findVisible } from '../datasets/queries.ts';
import type { Reads } from '../db.ts';
import type { FindProjectOf } from '../http/rules/headers.ts';
import { findDeletedItem } from './item.queries.ts';

/** Finds the project of a dataset that the caller sees, deleted or not. */
export const projectFinder =
  (db: Reads): FindProjectOf =>
  async (caller, id) =>
    (await findVisible(db, caller, id))?.projectId ??
    (await findDeletedItem(db, caller, { itemType: 'Dataset', id }))?.containerId;
