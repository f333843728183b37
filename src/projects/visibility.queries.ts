import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import type { Parameters, Values } from '../platform/sql/statements.ts';
import { bound, statement } from '../platform/sql/statements.ts';
import { ALL, OPERATION_RIGHTS, ROLE_RIGHTS, ROLES, VISIBLE } from './access.ts';

type Fragment = ReturnType<typeof sql.fragment>;

const { Owner, Contributor, Reader } = ROLE_RIGHTS;
const rightsOfRole = (role: Fragment) =>
  sql.fragment`case ${role} when 'Owner' then ${Owner}::int when 'Contributor' then ${Contributor}::int when 'Reader' then ${Reader}::int else 0 end`;
const { read, update, delete: remove } = OPERATION_RIGHTS;
const operationRights = sql.fragment`case g.operation when 'read' then ${read}::int when 'update' then ${update}::int else ${remove}::int end`;

/** What statements ask about a caller. */
export const ASKER = {
  userId: 'uuid',
  /** User id and login id, as permissions that name them are folded. */
  ids: 'text[]',
  groups: 'text[]',
  tenants: 'uuid[]',
  ownedTenants: 'uuid[]',
  /** Of an API key. */
  keyTenant: 'uuid',
  keyRole: 'text',
} as const;
/** A caller as parameters of a statement. */
export type Asker = Parameters<typeof ASKER>;
/** Statements that are made at each call take the caller himself. */
export type Asking = Caller | Asker;

export function askerValues(caller: Caller): Values<typeof ASKER> {
  const { userId, foldedId, groups, tenants, key } = caller;
  return {
    userId,
    ids: [userId, foldedId],
    groups,
    tenants: tenants.map((tenant) => tenant.id),
    ownedTenants: ownedTenants(caller),
    keyTenant: key?.tenantId ?? null,
    keyRole: key?.role ?? null,
  };
}

export const askerOf = (asking: Asking): Asker => ('via' in asking ? bound(ASKER, askerValues(asking)) : asking);

/** Grants `g` that name this caller: by user id or login id in any letter case, by a group's exact name. */
export function naming(asking: Asking): Fragment {
  const { ids, groups } = askerOf(asking);
  return sql.fragment`(g.folded_principal = any(${ids}) or g.principal = any(${groups}))`;
}

/**
 * What the permissions of entities allow and deny this caller, as a lateral join called `name` with the columns `allowed` and `denied`.
 * They speak to members of the entity's tenant alone. Whoever is named nowhere, which is nearly everybody, pays one look for all rows.
 */
export function granted(asking: Asking, name: Fragment, tenantId: Fragment, here: Fragment): Fragment {
  const asker = askerOf(asking);
  return sql.fragment`
    cross join lateral (
      select coalesce(bit_or(${operationRights}) filter (where not g.denied), 0) as allowed,
        coalesce(bit_or(${operationRights}) filter (where g.denied), 0) as denied
      from permission_grants g
      where (select exists (select from permission_grants g where ${naming(asker)}))
        and ${tenantId} = any(${asker.tenants}) and ${naming(asker)} and ${here}) ${name}`;
}

const ownTenant = (asking: Asking, tenantId: Fragment) =>
  sql.fragment`${tenantId} = any(${askerOf(asking).ownedTenants})`;

/** Rights out of a base and what was granted: a denial wins over everything but the Owner of the tenant. */
export const withGrants = (asking: Asking, tenantId: Fragment, base: Fragment, grants: Fragment) =>
  sql.fragment`case when ${ownTenant(asking, tenantId)} then ${ALL}::int else (${base} | ${grants}.allowed) & ~${grants}.denied end`;

/**
 * All projects, deleted ones too, with what this caller is and may do in each, as a table to select from and join with:
 * `from ${judgedProjects(caller)} p`. The columns of `projects`; `role`, which comes from the members of the nearest ancestor that does
 * not inherit (an Owner of the tenant is Owner of every project in it, a key has its role in all of its tenant) and is null without one;
 * `rights`, the role's with the permissions of the project and of those it inherits members through; and what these deny. What is deleted or not to be
 * seen is for the statement around it to leave out.
 */
export function judgedProjects(asking: Asking): Fragment {
  const asker = askerOf(asking);
  const keyRole = sql.fragment`case when p.tenant_id = ${asker.keyTenant} then ${asker.keyRole} end`;
  const tenantId = sql.fragment`p.tenant_id`;
  const grants = sql.fragment`granted`;
  const inheritedFrom = sql.fragment`g.project_id = any(p.path[array_position(p.path, p.member_source_id):])`;
  const base = sql.fragment`${rightsOfRole(sql.fragment`m.role`)} | ${rightsOfRole(keyRole)}`;
  return sql.fragment`
    (select p.*,
       case when ${ownTenant(asker, tenantId)} then 'Owner' else coalesce(m.role, ${keyRole}) end as role,
       ${withGrants(asker, tenantId, sql.fragment`(${base})`, grants)} as rights,
       case when ${ownTenant(asker, tenantId)} then 0 else granted.denied end as denied
     from projects p
     left join project_members m on m.project_id = p.member_source_id and m.user_id = ${asker.userId}
     ${granted(asker, grants, tenantId, inheritedFrom)})`;
}

/** Of a table with the columns of `projects`: neither it nor anything above it is in the recycle bin. */
export const alive = (p: Fragment): Fragment =>
  sql.fragment`not exists (select from projects a where a.id = any(${p}.path) and a.deleted_at is not null)`;

/** What `judgedProjects` has of a table `p`, when the caller may know of it. */
export const seen = (p: Fragment): Fragment => sql.fragment`${p}.rights & ${VISIBLE}::int <> 0`;

/** The projects that are there for this caller: `judgedProjects` that are alive and that he may read. */
export const visibleProjects = (asking: Asking): Fragment => {
  const p = sql.fragment`p`;
  return sql.fragment`(select * from ${judgedProjects(asking)} p where ${alive(p)} and ${seen(p)})`;
};

/** Ids of projects whose own members or permissions name the caller, as a statement that gives them. */
export const namedProjects = (asking: Asking): Fragment => {
  const asker = askerOf(asking);
  return sql.fragment`
  select project_id from project_members where user_id = ${asker.userId}
  union select g.project_id from permission_grants g where g.project_id is not null and ${naming(asker)}`;
};

/** The same as an array: where a search over all of a large tenant can begin. */
export const namedIn = (asking: Asking): Fragment => sql.fragment`array(${namedProjects(asking)})`;

const Visible = z.object({
  id: z.string(),
  tenantId: z.string(),
  parentId: z.string().optional(),
  rootId: z.string(),
  memberSourceId: z.string(),
  name: z.string(),
  accessLevel: z.string(),
  rowVersion: z.string(),
  role: z.enum(ROLES).optional(),
  rights: z.number(),
});
/** A project as rules ask about it: `demand(project, 'canEdit')`. */
export type VisibleProject = z.infer<typeof Visible>;

const visible = statement(
  'visible project',
  Visible,
  { ...ASKER, id: 'uuid' },
  ({ id, ...asker }) => sql.fragment`
  select p.id, p.tenant_id, p.parent_id, p.root_id, p.member_source_id, p.name, p.access_level, p.row_version::text as row_version,
    p.role, p.rights
  from ${visibleProjects(asker)} p where p.id = ${id}`,
);

/** The project, if the caller sees it; else `notFound`, before anything is said of rights. */
export async function visibleProject(db: Db, caller: Caller, id: string): Promise<VisibleProject> {
  const found = await db.maybeOne(visible({ ...askerValues(caller), id }));
  if (!found) throw notFound('Project', id);
  return found;
}
