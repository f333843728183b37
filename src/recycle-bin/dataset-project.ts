import { findVisible } from '../datasets/queries.ts';
import type { Db } from '../db.ts';
import type { FindProjectOf } from '../http/rules/headers.ts';
import { findBinned } from './item.queries.ts';

/** Looks where a dataset lies, then where it lay before it was deleted. */
export const projectFinder =
  (db: Db): FindProjectOf =>
  async (caller, id) =>
    (await findVisible(db, caller, id))?.projectId ??
    (await findBinned(db, caller, { itemType: 'Dataset', id }))?.containerId;
