import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { requireCapability } from '../projects/access.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { idleDataset, lockedDataset } from './access.ts';
import { type DatasetChange, findProjectId, getRecord, markDeleted, updateDataset } from './queries.ts';

/** Moves a dataset to the recycle bin. If `projectId` is given, the dataset must be in that project. */
export async function deleteDataset(
  db: Database,
  caller: Caller,
  address: { id: string; projectId?: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const projectId = await findProjectId(tx, address.id);
    if (projectId) await lockProjectTrees(tx, projectId);
    const dataset = await idleDataset(tx, caller, address, 'canDeleteContent');
    await markDeleted(tx, dataset.id, caller.userId);
  });
}

/** Updates the record of a dataset. Its content and measured information stay. */
export async function replaceDataset(
  db: Database,
  caller: Caller,
  address: { id: string; projectId: string; rowVersion?: string | undefined },
  change: DatasetChange,
) {
  return db.transaction(async (tx) => {
    const dataset = await lockedDataset(tx, caller, address, 'canUpdateContent');
    checkRowVersion('Dataset', dataset, address.rowVersion);
    if (change.permissions !== undefined) {
      // clients send back the full record; unchanged permissions need no right to change them
      const before = await getRecord(tx, caller, dataset.id);
      if (!isDeepStrictEqual(before.permissions, change.permissions))
        requireCapability({ ...dataset, id: dataset.projectId }, 'canGrantAccess');
    }
    await updateDataset(tx, dataset.id, change, caller.userId);
    return getRecord(tx, caller, dataset.id);
  });
}
