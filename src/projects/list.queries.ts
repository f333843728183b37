import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { partOf, textOf, weightOf } from '../http/long-list.queries.ts';
import type { Part } from '../http/long-list.ts';
import { listed } from '../http/long-list.ts';
import type { SortKey, SortOrder } from '../http/paging.queries.ts';
import { behind, pageOrder } from '../http/paging.queries.ts';
import type { Position } from '../http/paging.ts';
import { ROLES } from './access.ts';
import { itemColumns, recordColumnsAs } from './queries.ts';
import { ProjectItem, ProjectRow } from './record.ts';
import { judgedProjects, namedProjects } from './visibility.queries.ts';

/** Projects directly below one; without a parent the root projects of a tenant. */
export interface At {
  tenantId: string | undefined;
  parentId?: string | undefined;
}

/** Which projects of a place. */
export interface Selection {
  at: At;
  namePrefix: string | undefined;
  /** Of those that are not named: who inherits members, who has members of its own. */
  inheriting: boolean;
  own: boolean;
  /** Those that were judged one by one, and which of them are kept. */
  named: readonly string[];
  kept: readonly string[];
}

const SORT_KEYS = {
  Name: { column: sql.fragment`p.name`, type: 'text' },
  CreatedAt: { column: sql.fragment`p.created_at`, type: 'timestamptz' },
  UpdatedAt: { column: sql.fragment`p.updated_at`, type: 'timestamptz' },
} as const satisfies Record<string, SortKey>;
export type ProjectSort = keyof typeof SORT_KEYS;

export interface ProjectOrder {
  sortBy: ProjectSort;
  sortOrder: SortOrder;
}

/** Where in the list to begin; all of it without a limit. */
export interface Window {
  position?: Position | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

const id = sql.fragment`p.id`;
const ids = (list: readonly string[]) => sql.array(list, 'uuid');

const there = ({ tenantId, parentId }: At) => sql.fragment`
  ${parentId === undefined ? sql.fragment`p.parent_id is null and p.tenant_id = ${tenantId ?? null}` : sql.fragment`p.parent_id = ${parentId}`}
  and p.deleted_at is null`;

const Named = z.object({ id: z.string(), role: z.enum(ROLES).optional(), rights: z.number() });

/** The projects of a place that name the caller as a member or in their permissions, with what he is and may do there. */
export const listNamed = (db: Db, caller: Caller, at: At) =>
  db.any(sql.type(Named)`
    select p.id, p.role, p.rights from ${judgedProjects(caller)} p where ${there(at)} and p.id in (${namedProjects(caller)})`);

function selected({ at, namePrefix, inheriting, own, named, kept }: Selection) {
  const known = inheriting && own ? sql.fragment`true` : sql.fragment`p.inherits_members = ${inheriting}::boolean`;
  const choice =
    !inheriting && !own
      ? sql.fragment`p.id = any(${ids(kept)})`
      : named.length === 0
        ? known
        : sql.fragment`(p.id = any(${ids(kept)}) or (${known} and p.id <> all(${ids(named)})))`;
  const prefix =
    namePrefix === undefined ? sql.fragment`` : sql.fragment`and starts_with(p.name collate "C", ${namePrefix})`;
  return sql.fragment`from projects p where ${there(at)} and ${choice} ${prefix}`;
}

export const countProjects = (db: Db, selection: Selection) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) ${selected(selection)}`);

/** A page of a list as a table `p`: first which projects, out of an index alone, then the rows of these. */
function page(selection: Selection, { sortBy, sortOrder }: ProjectOrder, { position, offset, limit }: Window) {
  const order = sql.fragment`order by ${pageOrder(SORT_KEYS[sortBy], id, sortOrder)}`;
  return sql.fragment`
    from (
      select p.id ${selected(selection)} and ${behind(SORT_KEYS[sortBy], id, sortOrder, position)}
      ${order} limit ${limit ?? null}::bigint offset ${offset ?? 0}) page
    join projects p on p.id = page.id ${order}`;
}

export const listProjects = (db: Db, selection: Selection, order: ProjectOrder, window: Window) =>
  db.any(sql.type(ProjectItem)`select ${itemColumns} ${page(selection, order, window)}`);

const projects = { table: sql.fragment`projects`, name: sql.fragment`p`, id };

/** Metadata or settings of a project as text. */
export const findText = (db: Db, projectId: string, member: string) =>
  db.maybeOneFirst(textOf(projects, projectId, sql.fragment`p.${sql.identifier([member])}`));

/** Members are counted, not read. */
const weight = sql.fragment`${weightOf([sql.fragment`p.description`, sql.fragment`p.metadata`, sql.fragment`p.settings`, sql.fragment`p.permissions`])}
  + 130 * (select count(*) from project_members m where m.project_id = p.id)`;

/** A part of the same with the whole record of each, members too. */
export const listRecords = (db: Db, selection: Selection, { sortBy, sortOrder }: ProjectOrder, part: Part) =>
  db.any(
    sql.type(listed(ProjectRow))`${partOf(part, {
      ...projects,
      key: SORT_KEYS[sortBy],
      order: sortOrder,
      from: selected(selection),
      columns: recordColumnsAs,
      weight,
    })}`,
  );
