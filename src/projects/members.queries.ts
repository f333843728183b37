import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { objects, text, uuidText } from '../http/rules/members.ts';
import type { OffsetPage } from '../tenants/queries.ts';
import { ROLES, type Role } from './access.ts';
import { aggregateMembers } from './queries.ts';
import { Member } from './record.ts';
import { visibleProjects } from './visibility.queries.ts';

/** Members of a visible project, its own or inherited. */
export const findMembers = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(sql.type(z.object({ members: z.array(Member) }))`
    select ${aggregateMembers(sql.fragment`p.member_source_id`, sql.fragment`p.tenant_id`)} from ${visibleProjects(caller)} p where p.id = ${id}`);

export const TenantGuest = z.object({
  userId: uuidText('User id of the guest.'),
  accountId: text('Login id of the guest.', 'ann'),
  name: text('Name of the person.', 'Ann Example'),
  projectCount: z.int().describe('Number of projects in which the guest has a role.'),
  projects: objects('Those of these projects that the caller sees.', {
    id: uuidText('Id of the project.'),
    name: text('Name of the project.', 'Upper valley'),
    role: text('Role in the project.', 'Reader'),
  }),
});

interface NewMember {
  userId: string;
  role: Role;
}
const table = (members: readonly NewMember[]) =>
  sql.unnest(
    members.map(({ userId, role }) => [userId, role]),
    ['uuid', 'text'],
  );

/** Adds accounts or API keys as members, or changes their roles. The statement looks up which of the two each id is. */
export const putMembers = (tx: Transaction, projectId: string, members: readonly NewMember[]) =>
  tx.any(sql.write(Member)`
    insert into project_members (project_id, user_id, role, principal_type)
    select ${projectId}, user_id, role,
      case when exists (select from api_keys k where k.id = user_id) then 'OpenAPIAccount' else 'UserIdentity' end
    from ${table(members)} as given (user_id, role)
    on conflict (project_id, user_id) do update set role = excluded.role
    returning user_id, role, principal_type`);

export const deleteMembersBut = (tx: Transaction, projectId: string, userIds: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from project_members where project_id = ${projectId} and user_id <> all(${sql.array(userIds, 'uuid')})`);

/** Returns false if the user was not a member. */
export const deleteMember = async (tx: Transaction, projectId: string, userId: string) => {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from project_members where project_id = ${projectId} and user_id = ${userId}`);
  return rowCount === 1;
};

export const copyMembers = (tx: Transaction, fromId: string, toId: string) =>
  tx.query(sql.unsafe`
    insert into project_members (project_id, user_id, role, principal_type)
    select ${toId}, user_id, role, principal_type from project_members where project_id = ${fromId}`);

/** Whether a project has an Owner other than this user, who need not be a member. */
export const hasOwnerBut = (tx: Transaction, projectId: string, userId: string) =>
  tx.exists(sql.unsafe`
    select from project_members where project_id = ${projectId} and role = 'Owner' and user_id <> ${userId}`);

export const findRole = (tx: Transaction, projectId: string, userId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ role: z.string() }))`
    select role from project_members where project_id = ${projectId} and user_id = ${userId}`);

/** The accounts among these that are no members of the tenant. */
export const listGuests = (tx: Transaction, tenantId: string, userIds: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ userId: z.string() }))`
    select a.user_id from accounts a where a.user_id = any(${sql.array(userIds, 'uuid')}) and not exists (
      select from tenant_members t where t.tenant_id = ${tenantId} and t.user_id = a.user_id)`);

/** Accounts with roles in projects of a tenant that are no members of it, with the projects that the caller sees. */
export const listTenantGuests = (db: Reads, caller: Caller, tenantId: string, { offset = 0, limit }: OffsetPage) =>
  db.any(sql.type(TenantGuest)`
    select a.user_id, a.id as account_id, a.name, count(*)::int as project_count,
      coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'name', v.name, 'role', m.role) order by v.name, v.id)
        filter (where v.id is not null), '[]') as projects
    from project_members m join projects p on p.id = m.project_id join accounts a on a.user_id = m.account_id
      left join (select id, name from ${visibleProjects(caller)} p where p.tenant_id = ${tenantId}) v on v.id = p.id
    where p.tenant_id = ${tenantId} and p.deleted_at is null and not exists (
      select from tenant_members t where t.tenant_id = ${tenantId} and t.user_id = a.user_id)
    group by a.user_id order by a.id collate "C" offset ${offset} limit ${limit ?? null}::bigint`);

/** Roles of the members of a project, its own or inherited. */
export const listRoles = (tx: Transaction, projectId: string) =>
  tx.any(sql.type(z.object({ userId: z.string(), role: z.enum(ROLES) }))`
    select m.user_id, m.role from projects p join project_members m on m.project_id = p.member_source_id
    where p.id = ${projectId}`);

/** The ids that are accounts, or API keys of the tenant. Locks them against deletion until the transaction ends. */
export async function lockPrincipals(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const Row = z.object({ userId: z.string() });
  const accounts = await tx.anyFirst(sql.write(Row)`
    select user_id from accounts where user_id = any(${sql.array(ids, 'uuid')}) order by user_id for key share`);
  if (accounts.length === ids.length) return [...accounts];
  const keys = await tx.anyFirst(sql.write(Row)`
    select id as user_id from api_keys where id = any(${sql.array(ids, 'uuid')}) and tenant_id = ${tenantId}
    order by id for key share`);
  return [...accounts, ...keys];
}
