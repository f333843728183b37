import type { Db } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import type { Binned, Step, Wanted } from './item.queries.ts';
import { listDeletedAbove, listGrantors } from './item.queries.ts';
import { binnedItem, lacking, lockedItem, placeOf, privilegeFor } from './item.ts';
import { contentsOf } from './purge.queries.ts';
import type { Preview } from './record.ts';
import { undeleteDataset, undeleteProjects } from './restore.queries.ts';

/**
 * Brings something back to where it was, and every deleted project above it: all or nothing. Needs the privilege to delete each of them.
 * What lies below comes back as it was, as far as it was not deleted itself.
 */
export async function restore(db: Db, caller: Caller, wanted: Wanted): Promise<void> {
  await db.transaction(async (tx) => {
    const item = await lockedItem(tx, caller, wanted);
    const steps = await stepsOf(tx, caller, item);
    const refused = steps.find((step) => !step.privileged);
    if (refused) throw lacking(refused, 'restore');
    await undeleteProjects(
      tx,
      steps.filter((step) => step.itemType === 'Project').map((step) => step.id),
    );
    if (item.itemType === 'Dataset') await undeleteDataset(tx, item.id, placeOf(item));
  });
}

/** What `restore` would bring back, what the caller lacks for it, and what `purge` would destroy. */
export async function previewRestore(db: Db, caller: Caller, wanted: Wanted): Promise<Preview> {
  const item = await binnedItem(db, caller, wanted);
  const steps = await stepsOf(db, caller, item);
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
    removes: await contentsOf(db, item),
  };
}

/** From the top down; the item comes last. */
async function stepsOf(db: Db, caller: Caller, item: Binned): Promise<readonly Step[]> {
  const projects = await listDeletedAbove(db, caller, placeOf(item));
  return item.itemType === 'Project' ? projects : [...projects, item];
}
