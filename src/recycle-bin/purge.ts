import { audit, by } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { enqueue } from '../jobs.ts';
import type { ItemAddress } from './item.queries.ts';
import { lacking, lockedItem } from './item.ts';
import {
  findReadingTransfer,
  lockSubtrees,
  type Removal,
  type Removed,
  recordPurged,
  remove,
} from './purge.queries.ts';

/**
 * Permanently deletes an item of the recycle bin. A project, with all its contents, needs canDelete on the project
 * itself; a dataset needs canDeleteContent on its project. Transfers that still run in a purged project end without a
 * result.
 */
export async function purge(db: Database, caller: Caller, address: ItemAddress): Promise<void> {
  await db.transaction(async (tx) => {
    const item = await lockedItem(tx, caller, address);
    const isProject = item.itemType === 'Project';
    if (isProject ? !item.owned : !item.privileged) throw lacking(item, 'permanently delete');
    const transferId = isProject ? undefined : await findReadingTransfer(tx, item.id);
    if (transferId) {
      throw conflict(`Dataset '${item.id}' is in use by transfer '${transferId}'. Try again when it has ended.`, {
        code: 'DatasetLocked',
      });
    }
    const { userId, requestId } = caller;
    const { projects, datasets } = await removeItems(tx, {
      projectIds: isProject ? [item.id] : [],
      datasetIds: isProject ? [] : [item.id],
      reason: 'User',
      userId,
      requestId,
    });
    await audit(tx, {
      action: isProject ? 'project.purge' : 'dataset.purge',
      subject: item.id,
      tenantId: item.tenantId,
      ...by(caller),
      details: { name: item.name, projects, datasets },
    });
  });
}

/**
 * Deletes items for the purge and the retention sweep, and enqueues the deletion of their blobs. The trees must be
 * locked.
 */
export async function removeItems(tx: Transaction, removal: Removal): Promise<Removed> {
  if (removal.projectIds.length > 0) await lockSubtrees(tx, removal.projectIds);
  await recordPurged(tx, removal);
  const removed = await remove(tx, removal);
  if (removed.datasets > 0) await enqueue(tx, 'removeSpentBlobs', {}, { jobKey: 'removeSpentBlobs' });
  return removed;
}
