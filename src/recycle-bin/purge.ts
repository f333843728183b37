import type { Db } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { enqueue } from '../jobs.ts';
import type { Wanted } from './item.queries.ts';
import { lacking, lockedItem } from './item.ts';
import type { Removal, Removed } from './purge.queries.ts';
import { findTransferOf, lockSubtrees, remove } from './purge.queries.ts';

/**
 * Removes something in the bin for ever: of a project with all that is below it, which needs canDelete on the project itself; of a
 * dataset, which needs canDeleteContent in its project. Transfers that run below a project end by themselves and write nothing.
 */
export async function purge(db: Db, caller: Caller, wanted: Wanted): Promise<void> {
  await db.transaction(async (tx) => {
    const item = await lockedItem(tx, caller, wanted);
    const isProject = item.itemType === 'Project';
    if (isProject ? !item.owned : !item.privileged) throw lacking(item, 'remove');
    const transferId = isProject ? undefined : await findTransferOf(tx, item.id);
    if (transferId) {
      throw conflict(`Dataset '${item.id}' is being used by transfer '${transferId}'.`, { code: 'DatasetLocked' });
    }
    const { userId, requestId } = caller;
    await removeItems(tx, {
      projectIds: isProject ? [item.id] : [],
      datasetIds: isProject ? [] : [item.id],
      reason: 'User',
      userId,
      requestId,
    });
  });
}

/** What purge and sweep share; the trees must be locked. */
export async function removeItems(tx: Db, removal: Removal): Promise<Removed> {
  if (removal.projectIds.length > 0) await lockSubtrees(tx, removal.projectIds);
  const removed = await remove(tx, removal);
  if (removed.datasets > 0) await enqueue(tx, 'removeSpentBlobs', {}, { jobKey: 'removeSpentBlobs' });
  return removed;
}
