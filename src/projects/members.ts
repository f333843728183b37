import { type AuditEntry, auditAll, by, compareMembers } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { AppError, invalid, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { type Role, requireCapability } from './access.ts';
import { recordProjectActivity } from './activity.queries.ts';
import { lockedProject } from './change.ts';
import { refuseGuests } from './guests.ts';
import {
  copyMembers,
  deleteMember,
  deleteMembersBut,
  findRole,
  hasOwnerBut,
  listRoles,
  lockPrincipals,
  putMembers,
} from './members.queries.ts';
import { touch } from './queries.ts';
import type { Member, Written } from './record.ts';
import { setInheritance } from './tree.queries.ts';
import { lockProjectTrees } from './tree.ts';
import type { VisibleProject } from './visibility.queries.ts';

interface NewMember {
  userId: string;
  role: Role;
}

export interface MemberParts {
  db: Database;
  /** Setting `tenants.guests`: members of projects may be of other tenants. */
  guests: boolean;
}

type Roles = ReadonlyMap<string, Role>;

const rolesById = (members: readonly NewMember[]): Roles => new Map(members.map(({ userId, role }) => [userId, role]));

/** Replaces the members of a project. A subproject stops inheriting. */
export async function setMembers(
  { db, guests }: MemberParts,
  caller: Caller,
  id: string,
  { members, rowVersion }: { members: readonly NewMember[]; rowVersion?: string | undefined },
): Promise<Written> {
  refuseTwice(members);
  return db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    checkRowVersion('Project', project, rowVersion);
    if (project.parentId === undefined && !members.some(({ role }) => role === 'Owner'))
      throw invalidMember('members', KEEPS_OWNER);
    await refuseUnknown(tx, project.tenantId, members);
    const before = rolesById(await listRoles(tx, id));
    const after = rolesById(members);
    const invited = await refuseGuests(tx, caller, project, { allowed: guests, members: after, before });
    await setInheritance(tx, id, false, caller.userId);
    await deleteMembersBut(
      tx,
      id,
      members.map(({ userId }) => userId),
    );
    await putMembers(tx, id, members);
    await recordMembers(tx, caller, project, { before, after, guests: invited });
    return touch(tx, id, caller.userId);
  });
}

/** Adds a member or changes the member's role. */
export async function setMember(
  { db, guests }: MemberParts,
  caller: Caller,
  id: string,
  member: NewMember,
): Promise<Member> {
  return db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    return giveRole(tx, { granter: caller, actor: caller, guests }, project, member);
  });
}

/**
 * Adds a member or changes the member's role. The transaction has locked the project's tree.
 * @param granter whose right to add guests counts; @param actor who is recorded as having done it
 */
export async function giveRole(
  tx: Transaction,
  { granter, actor, guests }: { granter: Caller; actor: Caller; guests: boolean },
  project: VisibleProject,
  member: NewMember,
): Promise<Member> {
  const { id, tenantId } = project;
  await refuseUnknown(tx, tenantId, [member], () => 'userId');
  const had = (await listRoles(tx, id)).filter(({ userId }) => userId === member.userId);
  const [before, after] = [rolesById(had), rolesById([member])];
  const invited = await refuseGuests(tx, granter, project, { allowed: guests, members: after, before });
  if (member.role !== 'Owner') await keepAnOwner(tx, project, member.userId);
  await ownMembers(tx, project, actor.userId);
  const [set] = await putMembers(tx, id, [member]);
  await recordMembers(tx, actor, project, { before, after, guests: invited });
  await touch(tx, id, actor.userId);
  return { ...(set as Member), ...(invited.has(member.userId) ? { guest: true } : {}) };
}

export async function removeMember(db: Database, caller: Caller, id: string, userId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    await keepAnOwner(tx, project, userId);
    await ownMembers(tx, project, caller.userId);
    const role = await findRole(tx, id, userId);
    if (role === null || !(await deleteMember(tx, id, userId))) throw notFound('Member', userId);
    const before: Roles = new Map([[userId, role as Role]]);
    await recordMembers(tx, caller, project, { before, after: new Map() });
    await touch(tx, id, caller.userId);
  });
}

/** Deletes the members of a subproject and lets it inherit those of its parent. */
export async function inheritMembers(
  db: Database,
  caller: Caller,
  id: string,
  rowVersion: string | undefined,
): Promise<Written> {
  return db.transaction(async (tx) => {
    const project = await projectForMembers(tx, caller, id);
    checkRowVersion('Project', project, rowVersion);
    if (project.parentId === undefined)
      throw invalid(`Project '${id}' is a root project: it has no parent to inherit members from.`);
    const before = rolesById(await listRoles(tx, id));
    await setInheritance(tx, id, true, caller.userId);
    await deleteMembersBut(tx, id, []);
    await recordMembers(tx, caller, project, { before, after: rolesById(await listRoles(tx, id)) });
    return touch(tx, id, caller.userId);
  });
}

interface ChangedRoles {
  before: Roles;
  after: Roles;
  /** Members of other tenants. */
  guests?: ReadonlySet<string>;
}

/** Writes an audit row and an activity for each account or key whose role in the project changes. */
export async function recordMembers(
  tx: Transaction,
  caller: Caller,
  { id, name, tenantId }: Pick<VisibleProject, 'id' | 'name' | 'tenantId'>,
  { before, after, guests }: ChangedRoles,
): Promise<void> {
  const entries = [...new Set([...before.keys(), ...after.keys()])].flatMap((userId): AuditEntry[] => {
    const [had, has] = [before.get(userId), after.get(userId)];
    if (had === has) return [];
    const changes = compareMembers(had === undefined ? {} : { role: had }, has === undefined ? {} : { role: has });
    return [
      {
        action: has === undefined ? 'project.member.remove' : 'project.member.set',
        subject: userId,
        tenantId,
        ...by(caller),
        details: { projectId: id, project: name, ...changes, ...(guests?.has(userId) ? { guest: true } : {}) },
      },
    ];
  });
  await auditAll(tx, entries);
  await recordProjectActivity(
    tx,
    entries.map(({ action, subject, details }) => ({
      action,
      projectId: id,
      userId: caller.userId,
      memberId: subject,
      ...(details as ReturnType<typeof compareMembers>),
    })),
  );
}

const KEEPS_OWNER = 'A root project needs at least one Owner. Make another member Owner first.';

/** Locks the tree, which serializes changes of members: two Owners leaving at once would each still see the other. */
export async function projectForMembers(tx: Transaction, caller: Caller, id: string): Promise<VisibleProject> {
  await lockProjectTrees(tx, id);
  const project = await lockedProject(tx, caller, id);
  requireCapability(project, 'canGrantAccess');
  return project;
}

/** Ends inheritance and copies the inherited members, so that everyone keeps their role. */
async function ownMembers(tx: Transaction, { id, memberSourceId }: VisibleProject, userId: string) {
  if (memberSourceId === id) return;
  await setInheritance(tx, id, false, userId);
  await copyMembers(tx, memberSourceId, id);
}

async function keepAnOwner(tx: Transaction, { id, parentId }: VisibleProject, userId: string) {
  if (parentId !== undefined || (await findRole(tx, id, userId)) !== 'Owner') return;
  if (!(await hasOwnerBut(tx, id, userId))) throw invalid(KEEPS_OWNER, { code: 'LastOwner' });
}

/** Throws `invalid` if a user is listed twice: a member has one role. */
export function refuseTwice(members: readonly { userId: string }[]) {
  const seen = new Set<string>();
  const errors: Record<string, string[]> = {};
  members.forEach(({ userId }, index) => {
    if (seen.has(userId))
      errors[`members[${index}].userId`] = [`User '${userId}' is listed twice. Send it once, with one role.`];
    seen.add(userId);
  });
  refuse(errors);
}

/**
 * Throws `invalid` unless all are accounts, or API keys of the tenant. Locks them against deletion until the
 * transaction ends.
 */
export async function refuseUnknown(
  tx: Transaction,
  tenantId: string,
  members: readonly { userId: string }[],
  path = (index: number) => `members[${index}].userId`,
) {
  if (members.length === 0) return;
  const userIds = members.map((member) => member.userId);
  const known = new Set(await lockPrincipals(tx, tenantId, userIds));
  const errors: Record<string, string[]> = {};
  userIds.forEach((userId, index) => {
    if (!known.has(userId)) errors[path(index)] = [`User '${userId}' does not exist.`];
  });
  refuse(errors);
}

function refuse(errors: Record<string, string[]>) {
  const [first] = Object.values(errors);
  if (first) throw new AppError('invalid', first[0] ?? '', { errors });
}
