import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import type { Role } from './access.ts';
import { ROLES } from './access.ts';
import { Member, ProjectRow } from './record.ts';
import { alive, judgedProjects, visibleProjects } from './visibility.queries.ts';

/** Columns of a project in a list, of a table called `p`. */
export const itemColumns = sql.fragment`
  p.id, p.created_at, p.created_by, p.updated_at, p.updated_by, p.name, p.description, p.access_level, p.inherits_members,
  p.row_version::text as row_version, p.parent_id as parent_project_id`;

const membersOf = (source: ReturnType<typeof sql.fragment>) => sql.fragment`
  coalesce((
    select jsonb_agg(
      jsonb_build_object('userId', m.user_id, 'role', m.role, 'principalType', m.principal_type)
      order by array_position(array['Owner', 'Contributor', 'Reader'], m.role), m.user_id)
    from project_members m where m.project_id = ${source}), '[]'::jsonb) as members`;

const record = sql.fragment`
  ${itemColumns}, p.metadata, p.settings, p.permissions, p.role, p.rights, ${membersOf(sql.fragment`p.id`)}`;

/** The whole record, as the caller sees it. */
export const findProject = (db: Db, caller: Caller, id: string) =>
  db.maybeOne(sql.type(ProjectRow)`select ${record} from ${visibleProjects(caller)} p where p.id = ${id}`);

/** The whole record for who has just written it, seen or not. */
export const getRecord = (tx: Db, caller: Caller, id: string) =>
  tx.one(sql.type(ProjectRow)`select ${record} from ${judgedProjects(caller)} p where p.id = ${id}`);

/** Who has a role on a visible project, inherited or its own. */
export const findMembers = (db: Db, caller: Caller, id: string) =>
  db.maybeOne(sql.type(z.object({ members: z.array(Member) }))`
    select ${membersOf(sql.fragment`p.member_source_id`)} from ${visibleProjects(caller)} p where p.id = ${id}`);

/** Members are accounts or keys; which of them, the statement sees. */
export const insertMembers = (db: Db, projectId: string, members: readonly { userId: string; role: Role }[]) =>
  db.query(sql.unsafe`
    insert into project_members (project_id, user_id, role, principal_type)
    select ${projectId}, user_id, role,
      case when exists (select from api_keys k where k.id = user_id) then 'OpenAPIAccount' else 'UserIdentity' end
    from ${sql.unnest(
      members.map(({ userId, role }) => [userId, role]),
      ['uuid', 'text'],
    )} as given (user_id, role)`);

/** Those of these ids that are accounts, or keys of the tenant; nobody deletes them before the transaction ends. */
export async function lockPrincipals(tx: Db, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const Row = z.object({ userId: z.string() });
  const accounts = await tx.anyFirst(sql.type(Row)`
    select user_id from accounts where user_id = any(${sql.array(ids, 'uuid')}) order by user_id for key share`);
  if (accounts.length === ids.length) return [...accounts];
  const keys = await tx.anyFirst(sql.type(Row)`
    select id as user_id from api_keys where id = any(${sql.array(ids, 'uuid')}) and tenant_id = ${tenantId}
    order by id for key share`);
  return [...accounts, ...keys];
}

const Deletable = z.object({
  id: z.string(),
  role: z.enum(ROLES).optional(),
  rights: z.number(),
  /** On the parent; none on a root project. */
  parentRights: z.number(),
});

/** A project that is there, seen or not, with the caller's rights on it and on its parent. */
export const findForDeletion = (tx: Db, caller: Caller, id: string) =>
  tx.maybeOne(sql.type(Deletable)`
    select p.id, p.role, p.rights, coalesce(parent.rights, 0) as parent_rights
    from ${judgedProjects(caller)} p
    left join ${judgedProjects(caller)} parent on parent.id = p.parent_id
    where p.id = ${id} and ${alive(sql.fragment`p`)}`);

/** Says whether this call did it: of two at once one does. */
export const markDeleted = async (tx: Db, id: string, userId: string) => {
  const { rowCount } = await tx.query(sql.unsafe`
    update projects set deleted_at = now(), deleted_by = ${userId}, row_version = row_version + 1
    where id = ${id} and deleted_at is null`);
  return rowCount === 1;
};
