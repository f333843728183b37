import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { forbidden, invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from './access.ts';
import type { ProjectRequest } from './forms.ts';
import { putMembers } from './members.queries.ts';
import { refuseTwice, refuseUnknown } from './members.ts';
import { getRecord } from './queries.ts';
import type { Project } from './record.ts';
import { projectOf } from './record.ts';
import { putThumbnail } from './thumbnail.queries.ts';
import { readThumbnail } from './thumbnail.ts';
import { insertProjects } from './tree.queries.ts';
import { lockTreesOf } from './tree.ts';
import { visibleProject } from './visibility.queries.ts';

/**
 * Creates a subproject of `parentId`, which needs canCreateContent there, or a root project in the caller's current tenant. The caller becomes
 * its Owner and the given users its members, unless it inherits the members of its parent.
 */
export async function createProject(
  db: Db,
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
    const tenantId = parentId === undefined ? tenantForRoot(caller) : await lockParent(tx, caller, parentId);
    await refuseUnknown(tx, tenantId, members);
    const id = randomUUID();
    await insertProjects(tx, [{ ...fields, id, parentId, tenantId, inheritsMembers, createdBy: caller.userId }]);
    if (!inheritsMembers) {
      const others = members.filter((member) => member.userId !== caller.userId);
      await putMembers(tx, id, [{ userId: caller.userId, role: 'Owner' }, ...others]);
    }
    if (thumbnail) await putThumbnail(tx, id, thumbnail);
    // not `visibleProject`: the permissions may hide the project from the caller
    const created = await getRecord(tx, caller, id);
    if (fields.permissions !== undefined) requireCapability(created, 'canGrantAccess');
    return projectOf(created);
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

/** Locks the tree of the parent until the transaction ends, checks canCreateContent, and returns the parent's tenant. */
async function lockParent(tx: Db, caller: Caller, parentId: string): Promise<string> {
  await lockTreesOf(tx, parentId);
  const parent = await visibleProject(tx, caller, parentId);
  requireCapability(parent, 'canCreateContent');
  return parent.tenantId;
}
