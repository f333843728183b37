import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';
import { type FreeForm, shown } from '../http/answers/long-list.queries.ts';
import type { Caller } from '../http/caller.ts';
import { statement } from '../platform/sql/statements.ts';
import { ROLES } from './access.ts';
import type { Permissions } from './permissions.ts';
import { ProjectRow, Written } from './record.ts';
import { hasThumbnail } from './thumbnail.queries.ts';
import {
  CALLER_PARAMETERS,
  callerValues,
  notDeleted,
  projectsWithRights,
  visibleProjects,
} from './visibility.queries.ts';

/** Columns of a project in a list, from table `p`. */
export const itemColumns = sql.fragment`
  p.id, p.created_at, p.created_by, p.updated_at, p.updated_by, p.name, p.description, p.access_level, p.inherits_members,
  p.row_version::text as row_version, p.parent_id as parent_project_id,
  ${hasThumbnail} as has_thumbnail`;

type ColumnSql = Fragment;

/**
 * The project's own members (not inherited) as a column `members`; `source` is the id of the project. Accounts that are
 * no members of its tenant are guests.
 */
export const aggregateMembers = (source: ColumnSql, tenant: ColumnSql) => sql.fragment`
  coalesce((
    select jsonb_agg(
      jsonb_build_object('userId', m.user_id, 'role', m.role, 'principalType', m.principal_type) ||
      case when m.principal_type = 'UserIdentity' and not exists (
        select from tenant_members t where t.tenant_id = ${tenant} and t.user_id = m.user_id)
      then '{"guest": true}'::jsonb else '{}'::jsonb end
      order by array_position(array['Owner', 'Contributor', 'Reader'], m.role), m.user_id)
    from project_members m where m.project_id = ${source}), '[]'::jsonb) as members`;

/** Columns of the full record, from table `p`. `free` wraps the free-form columns. */
export const recordColumnsAs = (free: FreeForm) => sql.fragment`
  ${itemColumns}, ${free(sql.fragment`p.metadata`)} as metadata, ${free(sql.fragment`p.settings`)} as settings, p.permissions, ${aggregateMembers(sql.fragment`p.id`, sql.fragment`p.tenant_id`)}`;
export const recordColumns = recordColumnsAs(shown);

const RowWithRights = ProjectRow.extend({ role: z.enum(ROLES).optional(), rights: z.number() });
const columnsWithRights = sql.fragment`${recordColumns}, p.role, p.rights`;

const visible = statement(
  'project',
  RowWithRights,
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`
  select ${columnsWithRights} from ${visibleProjects(caller)} p where p.id = ${id}`,
);

/** The full record, if the caller sees the project. */
export const findProject = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(visible({ ...callerValues(caller), id }));

/** The full record for a caller who has just written the project, visible or not. */
export const getRecord = (tx: Transaction, caller: Caller, id: string) =>
  tx.one(sql.type(RowWithRights)`select ${columnsWithRights} from ${projectsWithRights(caller)} p where p.id = ${id}`);

/** The full record of a project, visible or not, which may no longer exist. */
export const findRecord = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(
    sql.type(RowWithRights)`select ${columnsWithRights} from ${projectsWithRights(caller)} p where p.id = ${id}`,
  );

/** Locks the project's row against other writers until the transaction ends. */
export const lockProject = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`select from projects where id = ${id} for no key update`);

const written = (userId: string) =>
  sql.fragment`row_version = row_version + 1, updated_at = now(), updated_by = ${userId}`;

/** Raises the row version after a change outside of the row: members, thumbnail, position in the tree. */
export const touch = (tx: Transaction, id: string, userId: string) =>
  tx.one(sql.write(Written)`update projects set ${written(userId)} where id = ${id} returning id, row_version::text`);

export const setAccessLevel = (tx: Transaction, id: string, level: string, userId: string) =>
  tx.one(sql.write(Written)`
    update projects set access_level = ${level}, ${written(userId)} where id = ${id} returning id, row_version::text`);

export interface ProjectChange {
  name: string;
  /** Cleared if absent, like the next two. */
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  settings?: Record<string, unknown> | undefined;
  /** Unchanged if absent, like the next one. */
  accessLevel?: string | undefined;
  permissions?: Permissions | undefined;
}

/** Fires `projects_permissions_changed`, which fills `permission_grants`. */
export const updateProject = (tx: Transaction, id: string, row: ProjectChange, userId: string) =>
  tx.query(sql.unsafe`
    update projects set name = ${row.name}, description = ${row.description ?? null},
      metadata = ${sql.jsonb((row.metadata ?? {}) as never)}, settings = ${sql.jsonb((row.settings ?? {}) as never)},
      access_level = coalesce(${row.accessLevel ?? null}::text, access_level),
      permissions = coalesce(${row.permissions === undefined ? null : sql.jsonb(row.permissions as never)}::jsonb, permissions),
      ${written(userId)}
    where id = ${id}`);

const WithParent = z.object({
  id: z.string(),
  role: z.enum(ROLES).optional(),
  rights: z.number(),
  parentRole: z.enum(ROLES).optional(),
  /** Rights on the parent; 0 for a root project. */
  parentRights: z.number(),
});

/** A project that is not deleted, visible or not, with the caller's role and rights on it and on its parent. */
export const findWithParent = (tx: Transaction, caller: Caller, id: string) =>
  tx.maybeOne(sql.type(WithParent)`
    select p.id, p.role, p.rights, parent.role as parent_role, coalesce(parent.rights, 0) as parent_rights
    from ${projectsWithRights(caller)} p
    left join ${projectsWithRights(caller)} parent on parent.id = p.parent_id
    where p.id = ${id} and ${notDeleted(sql.fragment`p`)}`);

/**
 * Returns false if the project was deleted already: of two concurrent calls, one returns true. Fires `projects_binned`,
 * which fills `recycle_bin`.
 */
export const markDeleted = async (tx: Transaction, id: string, userId: string) => {
  const { rowCount } = await tx.query(sql.unsafe`
    update projects set deleted_at = now(), deleted_by = ${userId}, row_version = row_version + 1
    where id = ${id} and deleted_at is null`);
  return rowCount === 1;
};
