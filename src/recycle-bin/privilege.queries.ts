import { z } from 'zod';
import { datasetsWithRights } from '../datasets/queries.ts';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import type { Capability } from '../projects/access.ts';
import { may, ROLE_RIGHTS, ROLES, rightOf } from '../projects/access.ts';
import { isVisible, namesCaller, projectsWithRights } from '../projects/visibility.queries.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** The roles that have a capability. */
export const rolesWith = (capability: Capability) =>
  sql.array(
    ROLES.filter((role) => may({ rights: ROLE_RIGHTS[role] }, capability)),
    'text',
  );

/** A row `b` of the bin is a project on which the caller has `canDelete`. */
export const ownsProject = (caller: Caller): Fragment => sql.fragment`
  exists (select from ${projectsWithRights(caller)} p where p.id = b.id and p.rights & ${rightOf('canDelete')}::int <> 0)`;

/** The caller would see it if it were not deleted. */
export const reads = (caller: Caller): Fragment => sql.fragment`
  case b.item_type
    when 'Project' then exists (
      select from ${projectsWithRights(caller)} p where p.id = b.id and ${isVisible(sql.fragment`p`)})
    else exists (select from ${datasetsWithRights(caller)} j where j.id = b.id and ${isVisible(sql.fragment`j`)})
  end`;

/**
 * The caller holds, now, the privilege to delete what a row `b` of the bin stands for: canDelete on a project or canDeleteContent on its
 * parent, canDeleteContent on a dataset.
 */
export const mayDelete = (caller: Caller): Fragment => sql.fragment`
  case b.item_type
    when 'Project' then ${ownsProject(caller)} or exists (
      select from ${projectsWithRights(caller)} p where p.id = b.container_id and p.rights & ${rightOf('canDeleteContent')}::int <> 0)
    else exists (
      select from ${datasetsWithRights(caller)} j where j.id = b.id and j.rights & ${rightOf('canDeleteContent')}::int <> 0)
  end`;

const Ids = z.array(z.string());
const Standing = z.object({
  owned: Ids,
  worked: Ids,
  /** Permissions of some entity allow or deny this caller deletions: roles alone do not decide. */
  named: z.boolean(),
});
/** Where, of all projects with members of their own, a search for what a caller may delete can look. */
export type Standing = z.infer<typeof Standing>;

const ids = (query: Fragment) => sql.fragment`coalesce((select jsonb_agg(id) from (${query}) found), '[]')`;

const ownsTenant = (caller: Caller, tenantId: string | undefined) =>
  tenantId !== undefined && ownedTenants(caller).includes(tenantId);

/**
 * One small statement before each list of a tenant's bin, so that a list of a hundred thousand need not be judged row by row. The Owner
 * of the tenant may delete everything, wherever else he stands.
 */
export async function findStanding(db: Db, caller: Caller, tenantId: string | undefined): Promise<Standing> {
  if (ownsTenant(caller, tenantId)) return { owned: [], worked: [], named: false };
  const memberAs = (capability: Capability) => sql.fragment`
    select project_id as id from project_members where user_id = ${caller.userId} and role = any(${rolesWith(capability)})`;
  const grants = sql.fragment`permission_grants g where g.operation = 'delete' and ${namesCaller(caller)}`;
  // between a project that inherits and where its members come from there is none with members of its own
  const granted = sql.fragment`
    select p.member_source_id as id from projects p
    where p.id in (
      select coalesce(g.project_id, (select d.project_id from datasets d where d.id = g.dataset_id)) from ${grants} and not g.denied)`;
  return db.one(sql.type(Standing)`
    select ${ids(sql.fragment`${memberAs('canDelete')} union ${granted}`)} as owned,
      ${ids(sql.fragment`${memberAs('canDeleteContent')} union ${granted}`)} as worked,
      exists (select from ${grants}) as named`);
}

/** Above this the planner would look at each value for longer than the whole statement takes, to use no index in the end. */
const MOST_LOOKED_AT = 200;

function among(column: Fragment, values: readonly string[]): Fragment {
  const array = sql.array(values, 'uuid');
  return values.length > MOST_LOOKED_AT
    ? sql.fragment`${column} in (select unnest(${array}))`
    : sql.fragment`${column} = any(${array})`;
}

/** `mayDelete` over many rows `b`, all of one tenant: sources of members first, judged one by one only where permissions have a say. */
export function mayDeleteOfMany(
  caller: Caller,
  tenantId: string | undefined,
  { owned, worked, named }: Standing,
): Fragment {
  if (ownsTenant(caller, tenantId)) return sql.fragment`true`;
  const key = caller.key?.tenantId === tenantId ? caller.key : undefined;
  const keyMay = (capability: Capability) => key !== undefined && may({ rights: ROLE_RIGHTS[key.role] }, capability);
  const own = keyMay('canDelete')
    ? sql.fragment`b.own_source_id is not null`
    : among(sql.fragment`b.own_source_id`, owned);
  const container = keyMay('canDeleteContent')
    ? sql.fragment`b.container_id is not null`
    : among(sql.fragment`b.container_source_id`, worked);
  return sql.fragment`(${own} or ${container}) ${named ? sql.fragment`and ${mayDelete(caller)}` : sql.fragment``}`;
}
