import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import type { SortKey, SortOrder } from '../http/paging.queries.ts';
import { behind, pageOrder } from '../http/paging.queries.ts';
import type { Position } from '../http/paging.ts';
import type { Role } from './access.ts';
import { itemColumns, recordColumns } from './queries.ts';
import { ProjectItem, ProjectRow } from './record.ts';
import { judgedProjects, namedIn, seen } from './visibility.queries.ts';

/**
 * What a list is of: the projects directly below one that the caller sees, or the root projects of the tenant the caller acts in. Nothing
 * above them is deleted then, so only they themselves are asked.
 */
export interface Place {
  parentId?: string | undefined;
}

export interface ProjectFilter {
  namePrefix?: string | undefined;
  /** The caller has one of these roles; absent: any. */
  roles?: readonly Role[] | undefined;
  /** The caller's rights include these bits; absent: any. */
  right?: number | undefined;
}

const SORT_KEYS = {
  Name: { column: sql.fragment`p.name`, type: 'text' },
  CreatedAt: { column: sql.fragment`p.created_at`, type: 'timestamptz' },
  UpdatedAt: { column: sql.fragment`p.updated_at`, type: 'timestamptz' },
} as const satisfies Record<string, SortKey>;
export type ProjectSort = keyof typeof SORT_KEYS;

const id = sql.fragment`p.id`;
const nothing = sql.fragment``;

const seesAll = (caller: Caller) =>
  caller.key?.tenantId === caller.tenantId || ownedTenants(caller).includes(caller.tenantId ?? '');

const inPlace = (caller: Caller, { parentId }: Place) =>
  parentId !== undefined
    ? sql.fragment`p.parent_id = ${parentId}`
    : sql.fragment`p.parent_id is null and p.tenant_id = ${caller.tenantId ?? null}
        ${seesAll(caller) ? nothing : sql.fragment`and p.id = any(${namedIn(caller)})`}`;

const listed = (caller: Caller, place: Place, { namePrefix, roles, right }: ProjectFilter) => sql.fragment`
  from ${judgedProjects(caller)} p
  where ${inPlace(caller, place)} and p.deleted_at is null and ${seen(sql.fragment`p`)}
    ${right === undefined ? nothing : sql.fragment`and p.rights & ${right}::int <> 0`}
    ${roles === undefined ? nothing : sql.fragment`and p.role = any(${sql.array(roles, 'text')})`}
    ${namePrefix === undefined ? nothing : sql.fragment`and starts_with(p.name, ${namePrefix})`}`;

export const countProjects = (db: Db, caller: Caller, place: Place, filter: ProjectFilter) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) ${listed(caller, place, filter)}`);

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

const page = ({ sortBy, sortOrder }: ProjectOrder, { position, offset, limit }: Window) => sql.fragment`
  and ${behind(SORT_KEYS[sortBy], id, sortOrder, position)}
  order by ${pageOrder(SORT_KEYS[sortBy], id, sortOrder)}
  limit ${limit ?? null}::bigint offset ${offset ?? 0}`;

export const listProjects = (
  db: Db,
  caller: Caller,
  place: Place,
  filter: ProjectFilter,
  order: ProjectOrder,
  window: Window,
) =>
  db.any(sql.type(ProjectItem)`
    select ${itemColumns} ${listed(caller, place, filter)} ${page(order, window)}`);

/** The same with the whole record of each, members and rights too. */
export const listRecords = (
  db: Db,
  caller: Caller,
  place: Place,
  filter: ProjectFilter,
  order: ProjectOrder,
  window: Window,
) =>
  db.any(sql.type(ProjectRow)`
    select ${recordColumns} ${listed(caller, place, filter)} ${page(order, window)}`);
