import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { AppError, forbidden, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Role } from './access.ts';
import { findProject, insertMembers, insertRootProject, lockAccounts } from './queries.ts';
import type { Project } from './record.ts';
import { projectOf } from './record.ts';

export interface ProjectRequest {
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  settings?: Record<string, unknown> | undefined;
  accessLevel?: string | undefined;
  inheritsMembers?: boolean | undefined;
  members?: { userId: string; role: Role }[] | undefined;
}

/** Makes a root project in the tenant the caller acts in. The caller is its Owner, the given members join. */
export async function createProject(db: Db, caller: Caller, request: ProjectRequest): Promise<Project> {
  const { tenantId } = caller;
  if (tenantId === undefined) throw forbidden('You belong to no tenant, so there is no place for a project of yours.');
  if (request.inheritsMembers) throw invalidMember('inheritsMembers', 'A root project has nobody to inherit from.');
  const members = request.members ?? [];
  refuseTwice(members);
  return db.transaction(async (tx) => {
    await refuseUnknown(tx, members);
    const id = randomUUID();
    await insertRootProject(tx, {
      id,
      tenantId,
      name: request.name,
      description: request.description,
      metadata: request.metadata ?? {},
      settings: request.settings ?? {},
      accessLevel: request.accessLevel ?? 'Shared',
      createdBy: caller.userId,
    });
    const others = members.filter((member) => !sameUser(member.userId, caller.userId));
    await insertMembers(tx, id, [{ userId: caller.userId, role: 'Owner' }, ...others]);
    const made = await findProject(tx, caller, id);
    if (!made) throw notFound('Project', id);
    return projectOf(made);
  });
}

const sameUser = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function refuseTwice(members: readonly { userId: string }[]) {
  const seen = new Set<string>();
  const errors: Record<string, string[]> = {};
  members.forEach(({ userId }, index) => {
    const key = userId.toLowerCase();
    if (seen.has(key)) errors[`members[${index}].userId`] = [`'${userId}' is named twice.`];
    seen.add(key);
  });
  refuse(errors);
}

async function refuseUnknown(tx: Db, members: readonly { userId: string }[]) {
  if (members.length === 0) return;
  const userIds = members.map((member) => member.userId);
  const known = new Set(await lockAccounts(tx, userIds));
  const errors: Record<string, string[]> = {};
  userIds.forEach((userId, index) => {
    if (!known.has(userId.toLowerCase())) errors[`members[${index}].userId`] = [`There is no user '${userId}'.`];
  });
  refuse(errors);
}

function refuse(errors: Record<string, string[]>) {
  const [first] = Object.values(errors);
  if (first) throw new AppError('invalid', first[0] ?? '', { errors });
}
