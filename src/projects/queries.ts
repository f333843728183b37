import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { FreeForm } from '../http/answers/long-list.queries.ts';
import { shown } from '../http/answers/long-list.queries.ts';
import type { Caller } from '../http/caller.ts';
import { statement } from '../platform/sql/statements.ts';
import { ROLES } from './access.ts';
import type { Permissions } from './permissions.ts';
import { ProjectRow, Written } from './record.ts';
import { ASKER, alive, askerValues, judgedProjects, visibleProjects } from './visibility.queries.ts';

/** Columns of a project in a list, of a table called `p`. */
export const itemColumns = sql.fragment`
  p.id, p.created_at, p.created_by, p.updated_at, p.updated_by, p.name, p.description, p.access_level, p.inherits_members,
  p.row_version::text as row_version, p.parent_id as parent_project_id,
  exists (select from project_thumbnails t where t.project_id = p.id) as has_thumbnail`;

/** The members that a project has by itself, as a column `members`; `source` is its id. */
export const membersOf = (source: ReturnType<typeof sql.fragment>) => sql.fragment`
  coalesce((
    select jsonb_agg(
      jsonb_build_object('userId', m.user_id, 'role', m.role, 'principalType', m.principal_type)
      order by array_position(array['Owner', 'Contributor', 'Reader'], m.role), m.user_id)
    from project_members m where m.project_id = ${source}), '[]'::jsonb) as members`;

/** Columns of the whole record, of a table called `p`, and what is done to what is free in its form. */
export const recordColumnsAs = (free: FreeForm) => sql.fragment`
  ${itemColumns}, ${free(sql.fragment`p.metadata`)} as metadata, ${free(sql.fragment`p.settings`)} as settings, p.permissions, ${membersOf(sql.fragment`p.id`)}`;
export const recordColumns = recordColumnsAs(shown);

const Judged = ProjectRow.extend({ role: z.enum(ROLES).optional(), rights: z.number() });
const judgedColumns = sql.fragment`${recordColumns}, p.role, p.rights`;

const visible = statement(
  'project',
  Judged,
  { ...ASKER, id: 'uuid' },
  ({ id, ...asker }) => sql.fragment`
  select ${judgedColumns} from ${visibleProjects(asker)} p where p.id = ${id}`,
);

/** The whole record, as the caller sees it. */
export const findProject = (db: Db, caller: Caller, id: string) => db.maybeOne(visible({ ...askerValues(caller), id }));

/** The whole record for who has just written it, seen or not. */
export const getRecord = (tx: Db, caller: Caller, id: string) =>
  tx.one(sql.type(Judged)`select ${judgedColumns} from ${judgedProjects(caller)} p where p.id = ${id}`);

/** The whole record, seen or not, of a project that may be gone. */
export const findRecord = (db: Db, caller: Caller, id: string) =>
  db.maybeOne(sql.type(Judged)`select ${judgedColumns} from ${judgedProjects(caller)} p where p.id = ${id}`);

/** Holds the project against other writers of its row until the transaction ends. */
export const lockProject = (tx: Db, id: string) =>
  tx.query(sql.unsafe`select from projects where id = ${id} for no key update`);

const written = (userId: string) =>
  sql.fragment`row_version = row_version + 1, updated_at = now(), updated_by = ${userId}`;

/** A write to the project that is no column of it: members, thumbnail, place. */
export const touch = (tx: Db, id: string, userId: string) =>
  tx.one(sql.type(Written)`update projects set ${written(userId)} where id = ${id} returning id, row_version::text`);

export const setAccessLevel = (tx: Db, id: string, level: string, userId: string) =>
  tx.one(sql.type(Written)`
    update projects set access_level = ${level}, ${written(userId)} where id = ${id} returning id, row_version::text`);

export interface ProjectChange {
  name: string;
  /** These three are gone when absent. */
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  settings?: Record<string, unknown> | undefined;
  /** These two stay when absent. */
  accessLevel?: string | undefined;
  permissions?: Permissions | undefined;
}

export const updateProject = (tx: Db, id: string, row: ProjectChange, userId: string) =>
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
  /** On the parent; none on a root project. */
  parentRights: z.number(),
});

/** A project that is there, seen or not, with what the caller is and may do there and on its parent. */
export const findWithParent = (tx: Db, caller: Caller, id: string) =>
  tx.maybeOne(sql.type(WithParent)`
    select p.id, p.role, p.rights, parent.role as parent_role, coalesce(parent.rights, 0) as parent_rights
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
