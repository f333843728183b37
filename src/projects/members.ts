import type { Db } from '../db.ts';
import { AppError, invalid, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Role } from './access.ts';
import { demand } from './access.ts';
import { lockedProject, refuseStale } from './change.ts';
import {
  copyMembers,
  deleteMember,
  deleteMembersBut,
  findRole,
  hasOwnerBut,
  lockPrincipals,
  putMembers,
} from './members.queries.ts';
import { touch } from './queries.ts';
import type { Member, Written } from './record.ts';
import { setInheritance } from './tree.queries.ts';
import { lockTreesOf } from './tree.ts';
import type { VisibleProject } from './visibility.queries.ts';

interface NewMember {
  userId: string;
  role: Role;
}

/** Gives a project exactly these members; a subproject that inherited does so no longer. */
export async function setMembers(
  db: Db,
  caller: Caller,
  id: string,
  { members, rowVersion }: { members: readonly NewMember[]; rowVersion?: string | undefined },
): Promise<Written> {
  refuseTwice(members);
  return db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    refuseStale(project, rowVersion);
    if (project.parentId === undefined && !members.some(({ role }) => role === 'Owner'))
      throw invalidMember('members', KEEPS_OWNER);
    await refuseUnknown(tx, project.tenantId, members);
    await setInheritance(tx, id, false);
    await deleteMembersBut(
      tx,
      id,
      members.map(({ userId }) => userId),
    );
    await putMembers(tx, id, members);
    return touch(tx, id, caller.userId);
  });
}

/** Adds somebody, or changes the role of a member. */
export async function setMember(db: Db, caller: Caller, id: string, member: NewMember): Promise<Member> {
  return db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    await refuseUnknown(tx, project.tenantId, [member], () => 'userId');
    if (member.role !== 'Owner') await keepAnOwner(tx, project, member.userId);
    await ownMembers(tx, project);
    const [set] = await putMembers(tx, id, [member]);
    await touch(tx, id, caller.userId);
    return set as Member;
  });
}

export async function removeMember(db: Db, caller: Caller, id: string, userId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    await keepAnOwner(tx, project, userId);
    await ownMembers(tx, project);
    if (!(await deleteMember(tx, id, userId))) throw notFound('Member', userId);
    await touch(tx, id, caller.userId);
  });
}

/** Clears the members of a subproject, which takes them from its parent from now on. */
export async function inheritMembers(
  db: Db,
  caller: Caller,
  id: string,
  rowVersion: string | undefined,
): Promise<Written> {
  return db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    refuseStale(project, rowVersion);
    if (project.parentId === undefined) throw invalid('A root project has nobody to inherit from.');
    await setInheritance(tx, id, true);
    await deleteMembersBut(tx, id, []);
    return touch(tx, id, caller.userId);
  });
}

const KEEPS_OWNER = 'A root project always keeps at least one Owner.';

/** Changes of members go one after the other: two Owners who leave at once would both see the other stay. */
async function projectForMembers(tx: Db, caller: Caller, id: string): Promise<VisibleProject> {
  await lockTreesOf(tx, id);
  const project = await lockedProject(tx, caller, id);
  demand(project, 'canGrantAccess');
  return project;
}

/** Ends inheritance; who had a role through it has it by himself. */
async function ownMembers(tx: Db, { id, memberSourceId }: VisibleProject) {
  if (memberSourceId === id) return;
  await setInheritance(tx, id, false);
  await copyMembers(tx, memberSourceId, id);
}

async function keepAnOwner(tx: Db, { id, parentId }: VisibleProject, userId: string) {
  if (parentId !== undefined || (await findRole(tx, id, userId)) !== 'Owner') return;
  if (!(await hasOwnerBut(tx, id, userId))) throw invalid(KEEPS_OWNER, { code: 'LastOwner' });
}

/** Somebody can have one role only. */
export function refuseTwice(members: readonly { userId: string }[]) {
  const seen = new Set<string>();
  const errors: Record<string, string[]> = {};
  members.forEach(({ userId }, index) => {
    if (seen.has(userId)) errors[`members[${index}].userId`] = [`'${userId}' is named twice.`];
    seen.add(userId);
  });
  refuse(errors);
}

/** Members are accounts or keys of the project's tenant, and stay so until the transaction ends. */
export async function refuseUnknown(
  tx: Db,
  tenantId: string,
  members: readonly { userId: string }[],
  path = (index: number) => `members[${index}].userId`,
) {
  if (members.length === 0) return;
  const userIds = members.map((member) => member.userId);
  const known = new Set(await lockPrincipals(tx, tenantId, userIds));
  const errors: Record<string, string[]> = {};
  userIds.forEach((userId, index) => {
    if (!known.has(userId)) errors[path(index)] = [`There is no user '${userId}'.`];
  });
  refuse(errors);
}

function refuse(errors: Record<string, string[]>) {
  const [first] = Object.values(errors);
  if (first) throw new AppError('invalid', first[0] ?? '', { errors });
}
