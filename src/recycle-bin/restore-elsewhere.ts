import type { Db } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from '../projects/access.ts';
import { putMembers } from '../projects/members.queries.ts';
import { getRecord } from '../projects/queries.ts';
import { setInheritance, setParent } from '../projects/tree.queries.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Binned } from './item.queries.ts';
import { lacking, lockedItem } from './item.ts';
import { undeleteDataset, undeleteProjects } from './restore.queries.ts';

/**
 * Brings a deleted project back below another project of its tenant, or as a root project of the caller. What the caller may do at its
 * old place does not matter, and what is deleted there stays deleted.
 */
export async function restoreProjectTo(db: Db, caller: Caller, id: string, targetId: string | undefined) {
  await db.transaction(async (tx) => {
    const besides = targetId === undefined ? [] : [targetId];
    const item = await lockedItem(tx, caller, { itemType: 'Project', id }, ...besides);
    if (!item.privileged) throw lacking(item, 'restore');
    if (targetId === undefined) await becomeRoot(tx, caller, item);
    else await setParent(tx, item.id, await placeFor(tx, caller, item, targetId));
    await undeleteProjects(tx, [item.id]);
  });
}

/** Brings a deleted dataset back in another project of its tenant. */
export async function restoreDatasetTo(
  db: Db,
  caller: Caller,
  wanted: { id: string; projectId?: string },
  targetId: string,
) {
  await db.transaction(async (tx) => {
    const item = await lockedItem(tx, caller, { itemType: 'Dataset', ...wanted }, targetId);
    if (!item.privileged) throw lacking(item, 'restore');
    await undeleteDataset(tx, item.id, await placeFor(tx, caller, item, targetId));
  });
}

/** The target's id, where the caller may put the item. */
async function placeFor(tx: Db, caller: Caller, item: Binned, targetId: string): Promise<string> {
  const target = await visibleProject(tx, caller, targetId);
  demand(target, 'canCreateContent');
  if (target.tenantId !== item.tenantId)
    throw forbidden(`Project '${target.id}' belongs to another tenant than '${item.id}'.`);
  return target.id;
}

/**
 * The caller is Owner of the root that it becomes. Where it has members of its own, who may delete it only because he may delete what is
 * in its parent would make himself Owner of what shuts him out, so that is refused.
 */
async function becomeRoot(tx: Db, caller: Caller, item: Binned) {
  const { inheritsMembers } = await getRecord(tx, caller, item.id);
  if (!inheritsMembers && !item.owned) throw lacking(item, 'become owner of');
  if (inheritsMembers) await setInheritance(tx, item.id, false);
  await putMembers(tx, item.id, [{ userId: caller.userId, role: 'Owner' }]);
  await setParent(tx, item.id, undefined);
}
