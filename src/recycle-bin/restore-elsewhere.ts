import type { Db } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from '../projects/access.ts';
import { putMembers } from '../projects/members.queries.ts';
import { getRecord } from '../projects/queries.ts';
import { setInheritance, setParent } from '../projects/tree.queries.ts';
import type { VisibleProject } from '../projects/visibility.queries.ts';
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
    const target = targetId === undefined ? undefined : await visibleProject(tx, caller, targetId);
    if (!item.privileged) throw lacking(item, 'restore');
    const { inheritsMembers } = await getRecord(tx, caller, item.id);
    refuseToOpen(item, inheritsMembers, target === undefined);
    if (target) {
      refusePlace(item, target);
      await setParent(tx, item.id, target.id);
    } else await becomeRoot(tx, caller, item, inheritsMembers);
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
    const target = await visibleProject(tx, caller, targetId);
    if (!item.privileged) throw lacking(item, 'restore');
    if (!item.readable) throw shut(item);
    refusePlace(item, target);
    await undeleteDataset(tx, item.id, target.id);
  });
}

/** Throws unless the caller may put the item there. */
function refusePlace(item: Binned, target: VisibleProject) {
  demand(target, 'canCreateContent');
  if (target.tenantId !== item.tenantId)
    throw forbidden(`Project '${target.id}' belongs to another tenant than '${item.id}'.`);
}

/**
 * Who may delete a project only because he may delete what is in its parent must not open to himself, by its new place, what shuts him
 * out: as Owner of a root where it has members of its own, or anywhere else where those come from above and permissions hide it from him.
 */
function refuseToOpen(item: Binned, inheritsMembers: boolean, asRoot: boolean) {
  if (!inheritsMembers && asRoot && !item.owned) throw lacking(item, 'become owner of');
  if (inheritsMembers && !item.readable) throw shut(item);
}

const shut = ({ itemType, id }: Binned) =>
  forbidden(`You may not read ${itemType.toLowerCase()} '${id}', so it is not yours to take to another place.`);

/** The caller is Owner of the root that it becomes. */
async function becomeRoot(tx: Db, caller: Caller, item: Binned, inheritsMembers: boolean) {
  if (inheritsMembers) await setInheritance(tx, item.id, false);
  await putMembers(tx, item.id, [{ userId: caller.userId, role: 'Owner' }]);
  await setParent(tx, item.id, undefined);
}
