import { z } from 'zod';
import { datasetsWithRights } from '../datasets/queries.ts';
import { type Fragment, type Reads, sql } from '../db.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import { type Capability, may, ROLE_RIGHTS, ROLES, rightOf } from '../projects/access.ts';
import { isVisible, namesCaller, projectsWithRights } from '../projects/visibility.queries.ts';

/** Roles that include a capability. */
export const rolesWithCapability = (capability: Capability) =>
  sql.array(
    ROLES.filter((role) => may({ rights: ROLE_RIGHTS[role] }, capability)),
    'text',
  );

/** Condition: row `b` of `recycle_bin` is a project on which the caller has canDelete. */
export const ownsProject = (caller: Caller): Fragment => sql.fragment`
  exists (select from ${projectsWithRights(caller)} p where p.id = b.id and p.rights & ${rightOf('canDelete')}::int <> 0)`;

/** Condition: the caller would see the item of row `b` if it were not deleted. */
export const reads = (caller: Caller): Fragment => sql.fragment`
  case b.item_type
    when 'Project' then exists (
      select from ${projectsWithRights(caller)} p where p.id = b.id and ${isVisible(sql.fragment`p`)})
    else exists (select from ${datasetsWithRights(caller)} j where j.id = b.id and ${isVisible(sql.fragment`j`)})
  end`;

/**
 * Condition: the caller currently has the privilege to delete the item of row `b`. For a project, canDelete on it or
 * canDeleteContent on its parent; for a dataset, canDeleteContent on it.
 */
export const mayDelete = (caller: Caller): Fragment => sql.fragment`
  case b.item_type
    when 'Project' then ${ownsProject(caller)} or exists (
      select from ${projectsWithRights(caller)} p where p.id = b.container_id and p.rights & ${rightOf('canDeleteContent')}::int <> 0)
    else exists (
      select from ${datasetsWithRights(caller)} j where j.id = b.id and j.rights & ${rightOf('canDeleteContent')}::int <> 0)
  end`;

const Ids = z.array(z.string());
const DeletionAccess = z.object({
  /** Sources with canDelete. */
  canDeleteIn: Ids,
  /** Sources with canDeleteContent. */
  canDeleteContentIn: Ids,
  /** Some permission allows or denies this caller to delete, so roles alone do not decide. */
  hasPermissions: z.boolean(),
});
/** Ids of member sources (projects with their own members) below which the caller may be able to delete. */
export type DeletionAccess = z.infer<typeof DeletionAccess>;

const ids = (query: Fragment) => sql.fragment`coalesce((select jsonb_agg(id) from (${query}) found), '[]')`;

const ownsTenant = (caller: Caller, tenantId: string | undefined) =>
  tenantId !== undefined && ownedTenants(caller).includes(tenantId);

/**
 * One small statement before each list of a tenant's recycle bin, which saves the check of rights row by row in a list
 * of 100,000 items. An Owner of the tenant may delete everything.
 */
export async function findDeletionAccess(
  db: Reads,
  caller: Caller,
  tenantId: string | undefined,
): Promise<DeletionAccess> {
  if (ownsTenant(caller, tenantId)) return { canDeleteIn: [], canDeleteContentIn: [], hasPermissions: false };
  const memberAs = (capability: Capability) => sql.fragment`
    select project_id as id from project_members where user_id = ${caller.userId} and role = any(${rolesWithCapability(capability)})`;
  const grants = sql.fragment`permission_grants g where g.operation = 'delete' and ${namesCaller(caller)}`;
  // a project that inherits has the same member source as every project between it and that source
  const granted = sql.fragment`
    select p.member_source_id as id from projects p
    where p.id in (
      select coalesce(g.project_id, (select d.project_id from datasets d where d.id = g.dataset_id)) from ${grants} and not g.denied)`;
  return db.one(sql.type(DeletionAccess)`
    select ${ids(sql.fragment`${memberAs('canDelete')} union ${granted}`)} as can_delete_in,
      ${ids(sql.fragment`${memberAs('canDeleteContent')} union ${granted}`)} as can_delete_content_in,
      exists (select from ${grants}) as has_permissions`);
}

/**
 * With more ids, planning `= any(array)` takes longer than the statement and ends without an index; then the ids are
 * unnested.
 */
const MAX_LITERAL_IDS = 200;

function isOneOf(column: Fragment, values: readonly string[]): Fragment {
  const array = sql.array(values, 'uuid');
  return values.length > MAX_LITERAL_IDS
    ? sql.fragment`${column} in (select unnest(${array}))`
    : sql.fragment`${column} = any(${array})`;
}

/**
 * `mayDelete` for many rows `b` of one tenant: filters by member source, and checks row by row only if permissions name
 * the caller.
 */
export function mayDeleteOfMany(
  caller: Caller,
  tenantId: string | undefined,
  { canDeleteIn, canDeleteContentIn, hasPermissions }: DeletionAccess,
): Fragment {
  if (ownsTenant(caller, tenantId)) return sql.fragment`true`;
  const key = caller.key?.tenantId === tenantId ? caller.key : undefined;
  const keyMay = (capability: Capability) => key !== undefined && may({ rights: ROLE_RIGHTS[key.role] }, capability);
  const own = keyMay('canDelete')
    ? sql.fragment`b.own_source_id is not null`
    : isOneOf(sql.fragment`b.own_source_id`, canDeleteIn);
  const container = keyMay('canDeleteContent')
    ? sql.fragment`b.container_id is not null`
    : isOneOf(sql.fragment`b.container_source_id`, canDeleteContentIn);
  return sql.fragment`(${own} or ${container}) ${hasPermissions ? sql.fragment`and ${mayDelete(caller)}` : sql.fragment``}`;
}
