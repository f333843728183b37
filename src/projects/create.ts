import { randomUUID } from 'node:crypto';
import type { Transaction } from '../db.ts';
import { forbidden, invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from './access.ts';
import type { ProjectRequest } from './forms.ts';
import { refuseGuests } from './guests.ts';
import { putMembers } from './members.queries.ts';
import { type MemberParts, recordMembers, refuseTwice, refuseUnknown } from './members.ts';
import { getRecord } from './queries.ts';
import { type Project, toProject } from './record.ts';
import { putThumbnail } from './thumbnail.queries.ts';
import { readThumbnail } from './thumbnail.ts';
import { insertProjects } from './tree.queries.ts';
import { lockProjectTrees } from './tree.ts';
import { type VisibleProject, visibleProject } from './visibility.queries.ts';

/**
 * Creates a subproject of `parentId`, which needs canCreateContent there, or a root project in the caller's current
 * tenant. The caller becomes its Owner and the given users its members, unless it inherits the members of its parent.
 */
export async function createProject(
  { db, guests }: MemberParts,
  caller: Caller,
  request: ProjectRequest,
  parentId?: string,
): Promise<Project> {
  const { members = [], inheritsMembers = false, thumbnailBase64 = '', ...fields } = request;
  const thumbnail = readThumbnail(thumbnailBase64);
  refuseTwice(members);
  if (inheritsMembers && parentId === undefined)
    throw invalidMember('inheritsMembers', 'A root project has no parent to inherit members from. Send false.');
  if (inheritsMembers && members.length > 0)
    throw invalidMember('members', 'A project that inherits its members cannot have its own. Send one of the two.');
  return db.transaction(async (tx) => {
    const parent = parentId === undefined ? undefined : await lockParent(tx, caller, parentId);
    const tenantId = parent?.tenantId ?? tenantForRoot(caller);
    await refuseUnknown(tx, tenantId, members);
    const id = randomUUID();
    await insertProjects(tx, [{ ...fields, id, parentId, tenantId, inheritsMembers, createdBy: caller.userId }]);
    if (!inheritsMembers) {
      const others = members.filter((member) => member.userId !== caller.userId);
      const project = { id, tenantId, name: fields.name, rootId: parent?.rootId ?? id };
      const after = new Map(others.map(({ userId, role }) => [userId, role]));
      await putMembers(tx, id, [{ userId: caller.userId, role: 'Owner' }]);
      const invited = await refuseGuests(tx, caller, project, { allowed: guests, members: after, before: new Map() });
      await putMembers(tx, id, others);
      await recordMembers(tx, caller, project, { before: new Map(), after, guests: invited });
    }
    if (thumbnail) await putThumbnail(tx, id, thumbnail);
    // not `visibleProject`: the permissions may hide the project from the caller
    const created = await getRecord(tx, caller, id);
    if (fields.permissions !== undefined) requireCapability(created, 'canGrantAccess');
    return toProject(created);
  });
}

function tenantForRoot({ tenantId, key }: Caller): string {
  if (tenantId === undefined)
    throw forbidden('You belong to no tenant, so you cannot create projects. Ask an administrator to add you to one.');
  // the key would become Owner of the new project, and so gain the right to write
  if (key?.role === 'Reader')
    throw forbidden(
      'An API key with the role Reader may not create projects. Use a key with the role Contributor or Owner.',
    );
  return tenantId;
}

/** Locks the tree of the parent until the transaction ends, checks canCreateContent, and returns the parent. */
async function lockParent(tx: Transaction, caller: Caller, parentId: string): Promise<VisibleProject> {
  await lockProjectTrees(tx, parentId);
  const parent = await visibleProject(tx, caller, parentId);
  requireCapability(parent, 'canCreateContent');
  return parent;
}
