import type { Database, Reads } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { nameActor } from '../outbox.ts';
import { type DeletedItem, type ItemAddress, listDeletedAbove, listGrantors, type Step } from './item.queries.ts';
import { deletedItem, lacking, lockedItem, privilegeFor, projectIdOf } from './item.ts';
import { listContents } from './purge.queries.ts';
import type { Preview } from './record.ts';
import { undeleteDataset, undeleteProjects } from './restore.queries.ts';

/**
 * Restores an item and all its deleted ancestors, in one transaction. Needs the privilege to delete each of them.
 * Contents that were not deleted themselves become available again.
 */
export async function restore(db: Database, caller: Caller, address: ItemAddress): Promise<void> {
  await db.transaction(async (tx) => {
    const item = await lockedItem(tx, caller, address);
    const steps = await planRestore(tx, caller, item);
    const refused = steps.find((step) => !step.privileged);
    if (refused) throw lacking(refused, 'restore');
    await undeleteProjects(
      tx,
      steps.filter((step) => step.itemType === 'Project').map((step) => step.id),
      caller.userId,
    );
    if (item.itemType === 'Dataset') await undeleteDataset(tx, item.id, projectIdOf(item), caller.userId);
    await nameActor(tx, caller.userId);
  });
}

/** What `restore` would bring back, which privileges the caller lacks, and what `purge` would delete. */
export async function previewRestore(db: Reads, caller: Caller, address: ItemAddress): Promise<Preview> {
  const item = await deletedItem(db, caller, address);
  const steps = await planRestore(db, caller, item);
  const refused = steps.filter((step) => !step.privileged);
  const grantors = await listGrantors(
    db,
    refused.map((step) => step.id),
  );
  const grantableBy = new Map(grantors.map(({ id, userIds }) => [id, userIds]));
  return {
    restores: steps.map(({ id, name, itemType }) => ({ id, name, itemType })),
    missing: refused.map(({ id, name, itemType }) => ({
      id,
      name,
      privilege: privilegeFor(itemType),
      grantableBy: grantableBy.get(id) ?? [],
    })),
    removes: await listContents(db, item),
  };
}

/** The items to restore, from the root down. The last one is the item itself. */
async function planRestore(db: Reads, caller: Caller, item: DeletedItem): Promise<readonly Step[]> {
  const projects = await listDeletedAbove(db, caller, projectIdOf(item));
  return item.itemType === 'Project' ? projects : [...projects, item];
}
