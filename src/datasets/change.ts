import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from '../projects/access.ts';
import { lockTreesOf } from '../projects/tree.ts';
import { idleDataset, lockedDataset } from './access.ts';
import type { DatasetChange } from './queries.ts';
import { findPlace, getRecord, markDeleted, updateDataset } from './queries.ts';

/** Puts a dataset into the recycle bin. With `projectId` it must lie in that project. */
export async function deleteDataset(db: Db, caller: Caller, wanted: { id: string; projectId?: string }): Promise<void> {
  await db.transaction(async (tx) => {
    const projectId = await findPlace(tx, wanted.id);
    if (projectId) await lockTreesOf(tx, projectId);
    const dataset = await idleDataset(tx, caller, wanted, 'canDeleteContent');
    await markDeleted(tx, dataset.id, caller.userId);
  });
}

/** Replaces what people say of a dataset; its bytes and what was measured of them stay. */
export async function replaceDataset(
  db: Db,
  caller: Caller,
  wanted: { id: string; projectId: string; rowVersion?: string | undefined },
  change: DatasetChange,
) {
  return db.transaction(async (tx) => {
    const dataset = await lockedDataset(tx, caller, wanted, 'canUpdateContent');
    if (wanted.rowVersion !== undefined && wanted.rowVersion !== dataset.rowVersion) {
      throw conflict(`Dataset '${dataset.id}' has changed: its rowVersion is '${dataset.rowVersion}'.`, {
        code: 'StaleRowVersion',
      });
    }
    if (change.permissions !== undefined) {
      // records come back whole, also from those who may not change this part of them
      const before = await getRecord(tx, caller, dataset.id);
      if (!isDeepStrictEqual(before.permissions, change.permissions))
        demand({ ...dataset, id: dataset.projectId }, 'canGrantAccess');
    }
    await updateDataset(tx, dataset.id, change, caller.userId);
    return getRecord(tx, caller, dataset.id);
  });
}
