import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { forbidden, invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from './access.ts';
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
 * Makes a project: below `parentId`, which needs canCreateContent there, or as a root in the tenant the caller acts in. The caller is its
 * Owner and the given members join, unless it takes its members from its parent.
 */
export async function createProject(
  db: Db,
  caller: Caller,
  request: ProjectRequest,
  parentId?: string,
): Promise<Project> {
  const { members = [], inheritsMembers = false, thumbnailBase64 = '', ...said } = request;
  const thumbnail = readThumbnail(thumbnailBase64);
  refuseTwice(members);
  if (inheritsMembers && parentId === undefined)
    throw invalidMember('inheritsMembers', 'A root project has nobody to inherit from.');
  if (inheritsMembers && members.length > 0)
    throw invalidMember('members', 'A project that inherits its members has none of its own.');
  return db.transaction(async (tx) => {
    const tenantId = parentId === undefined ? tenantForRoot(caller) : await lockParent(tx, caller, parentId);
    await refuseUnknown(tx, tenantId, members);
    const id = randomUUID();
    await insertProjects(tx, [{ ...said, id, parentId, tenantId, inheritsMembers, createdBy: caller.userId }]);
    if (!inheritsMembers) {
      const others = members.filter((member) => member.userId !== caller.userId);
      await putMembers(tx, id, [{ userId: caller.userId, role: 'Owner' }, ...others]);
    }
    if (thumbnail) await putThumbnail(tx, id, thumbnail);
    // as it is now, also when its permissions deny the caller everything
    const made = await getRecord(tx, caller, id);
    if (said.permissions !== undefined) demand(made, 'canGrantAccess');
    return projectOf(made);
  });
}

function tenantForRoot({ tenantId, key }: Caller): string {
  if (tenantId === undefined) throw forbidden('You belong to no tenant, so there is no place for a project of yours.');
  // it would be Owner there, so a key that may only read would make itself a place to write
  if (key?.role === 'Reader') throw forbidden('A key with the role Reader may not make projects.');
  return tenantId;
}

/** The tenant of a project below which the caller may make another. Its tree stays as it is until the transaction ends. */
async function lockParent(tx: Db, caller: Caller, parentId: string): Promise<string> {
  await lockTreesOf(tx, parentId);
  const parent = await visibleProject(tx, caller, parentId);
  demand(parent, 'canCreateContent');
  return parent.tenantId;
}
