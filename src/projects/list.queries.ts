import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import type { SortKey, SortOrder } from '../http/paging.queries.ts';
import { behind, pageOrder } from '../http/paging.queries.ts';
import type { Position } from '../http/paging.ts';
import type { Role } from './access.ts';
import { itemColumns } from './queries.ts';
import { ProjectItem } from './record.ts';
import { namedIn, visibleProjects } from './visibility.queries.ts';

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

const seesAll = (caller: Caller) =>
  caller.key?.tenantId === caller.tenantId || ownedTenants(caller).includes(caller.tenantId ?? '');

/** The root projects of the tenant the caller acts in, where the caller has a role. */
const roots = (caller: Caller, { namePrefix, roles, right }: ProjectFilter) => sql.fragment`
  from ${visibleProjects(caller)} p
  where p.parent_id is null and p.tenant_id = ${caller.tenantId ?? null}
    ${seesAll(caller) ? sql.fragment`` : sql.fragment`and p.id = any(${namedIn(caller)})`}
    ${right === undefined ? sql.fragment`` : sql.fragment`and p.rights & ${right}::int <> 0`}
    ${roles === undefined ? sql.fragment`` : sql.fragment`and p.role = any(${sql.array(roles, 'text')})`}
    ${namePrefix === undefined ? sql.fragment`` : sql.fragment`and starts_with(p.name, ${namePrefix})`}`;

export const countRoots = (db: Db, caller: Caller, filter: ProjectFilter) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) ${roots(caller, filter)}`);

export interface ProjectOrder {
  sortBy: ProjectSort;
  sortOrder: SortOrder;
}

export const listRoots = (
  db: Db,
  caller: Caller,
  filter: ProjectFilter,
  { sortBy, sortOrder }: ProjectOrder,
  at: { position?: Position | undefined; offset?: number; limit: number },
) =>
  db.any(sql.type(ProjectItem)`
    select ${itemColumns} ${roots(caller, filter)} and ${behind(SORT_KEYS[sortBy], id, sortOrder, at.position)}
    order by ${pageOrder(SORT_KEYS[sortBy], id, sortOrder)}
    limit ${at.limit} offset ${at.offset ?? 0}`);
