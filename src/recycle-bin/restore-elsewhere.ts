import type { Database, Transaction } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { nameActor } from '../outbox.ts';
import { requireCapability } from '../projects/access.ts';
import { putMembers } from '../projects/members.queries.ts';
import { getRecord } from '../projects/queries.ts';
import { setInheritance, setParent } from '../projects/tree.queries.ts';
import { type VisibleProject, visibleProject } from '../projects/visibility.queries.ts';
import type { DeletedItem } from './item.queries.ts';
import { lacking, lockedItem } from './item.ts';
import { undeleteDataset, undeleteProjects } from './restore.queries.ts';

/**
 * Restores a deleted project below another project of its tenant, or as a root project of the caller. Rights on the old
 * parent do not matter, and deleted ancestors stay deleted.
 */
export async function restoreProjectTo(db: Database, caller: Caller, id: string, targetId: string | undefined) {
  await db.transaction(async (tx) => {
    const alsoLock = targetId === undefined ? [] : [targetId];
    const item = await lockedItem(tx, caller, { itemType: 'Project', id }, ...alsoLock);
    const target = targetId === undefined ? undefined : await visibleProject(tx, caller, targetId);
    if (!item.privileged) throw lacking(item, 'restore');
    const { inheritsMembers } = await getRecord(tx, caller, item.id);
    refuseEscalation(item, inheritsMembers, target === undefined);
    if (target) {
      checkTarget(item, target);
      await setParent(tx, item.id, target.id, caller.userId);
    } else await becomeRoot(tx, caller, item, inheritsMembers);
    await undeleteProjects(tx, [item.id], caller.userId);
    await nameActor(tx, caller.userId);
  });
}

/** Restores a deleted dataset into another project of its tenant. */
export async function restoreDatasetTo(
  db: Database,
  caller: Caller,
  address: { id: string; projectId?: string },
  targetId: string,
) {
  await db.transaction(async (tx) => {
    const item = await lockedItem(tx, caller, { itemType: 'Dataset', ...address }, targetId);
    const target = await visibleProject(tx, caller, targetId);
    if (!item.privileged) throw lacking(item, 'restore');
    if (!item.readable) throw unreadable(item);
    checkTarget(item, target);
    await undeleteDataset(tx, item.id, target.id, caller.userId);
    await nameActor(tx, caller.userId);
  });
}

/** Throws unless the caller may create content in the target, and the target is in the tenant of the item. */
function checkTarget(item: DeletedItem, target: VisibleProject) {
  requireCapability(target, 'canCreateContent');
  if (target.tenantId !== item.tenantId)
    throw forbidden(
      `Project '${target.id}' is in another tenant than '${item.id}'. Choose a target in the same tenant.`,
    );
}

/**
 * Prevents privilege escalation: a caller who may delete the project only because of canDeleteContent on its parent
 * must not gain access by moving it. As a root project, one with its own members would make the caller Owner. One that
 * inherits would take the members of its new parent, so the caller must have been able to read it.
 */
function refuseEscalation(item: DeletedItem, inheritsMembers: boolean, asRoot: boolean) {
  if (!inheritsMembers && asRoot && !item.owned) throw lacking(item, 'become Owner of');
  if (inheritsMembers && !item.readable) throw unreadable(item);
}

const unreadable = ({ itemType, id }: DeletedItem) =>
  forbidden(`You may not restore ${itemType.toLowerCase()} '${id}' to another project, because you may not read it.`);

/** Makes the project a root project with the caller as Owner. */
async function becomeRoot(tx: Transaction, caller: Caller, item: DeletedItem, inheritsMembers: boolean) {
  if (inheritsMembers) await setInheritance(tx, item.id, false, caller.userId);
  await putMembers(tx, item.id, [{ userId: caller.userId, role: 'Owner' }]);
  await setParent(tx, item.id, undefined, caller.userId);
}
