import { z } from 'zod';
import { type Fragment, type Reads, sql } from '../db.ts';
import { notFound } from '../errors.ts';
import { type Caller, denyingTenants, ownedTenants } from '../http/caller.ts';
import { bound, type Parameters, statement, type Values } from '../platform/sql/statements.ts';
import { ALL, OPERATION_RIGHTS, ROLE_RIGHTS, ROLES, VISIBLE } from './access.ts';

const { Owner, Contributor, Reader } = ROLE_RIGHTS;
const rightsOfRole = (role: Fragment) =>
  sql.fragment`case ${role} when 'Owner' then ${Owner}::int when 'Contributor' then ${Contributor}::int when 'Reader' then ${Reader}::int else 0 end`;
const { read, update, delete: remove } = OPERATION_RIGHTS;
const operationRights = sql.fragment`case g.operation when 'read' then ${read}::int when 'update' then ${update}::int else ${remove}::int end`;

/** SQL parameters that describe a caller. */
export const CALLER_PARAMETERS = {
  userId: 'uuid',
  /** User id and case-folded login id, to compare with `folded_principal` of permissions. */
  ids: 'text[]',
  groups: 'text[]',
  tenants: 'uuid[]',
  /** Those of `tenants` and, with a tenant header, others whose denials hold, too. */
  denyingTenants: 'uuid[]',
  ownedTenants: 'uuid[]',
  /** Tenant and role of an API key. */
  keyTenant: 'uuid',
  keyRole: 'text',
} as const;
/** A caller as parameters of a prepared statement. */
export type CallerParameters = Parameters<typeof CALLER_PARAMETERS>;
/** Prepared statements pass parameters; statements built for each call pass the caller. */
export type CallerOrParameters = Caller | CallerParameters;

export function callerValues(caller: Caller): Values<typeof CALLER_PARAMETERS> {
  const { userId, foldedId, groups, tenants, key } = caller;
  return {
    userId,
    ids: [userId, foldedId],
    groups,
    tenants: tenants.map((tenant) => tenant.id),
    denyingTenants: denyingTenants(caller),
    ownedTenants: ownedTenants(caller),
    keyTenant: key?.tenantId ?? null,
    keyRole: key?.role ?? null,
  };
}

export const callerParameters = (caller: CallerOrParameters): CallerParameters =>
  'via' in caller ? bound(CALLER_PARAMETERS, callerValues(caller)) : caller;

/**
 * Condition: grant `g` names this caller by user id or login id, in any letter case, or by the exact name of a group.
 */
export function namesCaller(caller: CallerOrParameters): Fragment {
  const { ids, groups } = callerParameters(caller);
  return sql.fragment`(g.folded_principal = any(${ids}) or g.principal = any(${groups}))`;
}

/**
 * Lateral join `name` with the rights that permissions allow and deny this caller, as columns `allowed` and `denied`.
 * `here` selects the grants `g` of the entity. Permissions apply only to members of the entity's tenant; a tenant
 * header, which only narrows, leaves denials of other tenants. For a caller named in no permission, which is the usual
 * case, an uncorrelated subquery is evaluated once for all rows.
 */
export function joinPermissions(
  caller: CallerOrParameters,
  name: Fragment,
  tenantId: Fragment,
  here: Fragment,
): Fragment {
  const parameters = callerParameters(caller);
  return sql.fragment`
    cross join lateral (
      select coalesce(bit_or(${operationRights}) filter (where not g.denied and ${tenantId} = any(${parameters.tenants})), 0) as allowed,
        coalesce(bit_or(${operationRights}) filter (where g.denied), 0) as denied
      from permission_grants g
      where (select exists (select from permission_grants g where ${namesCaller(parameters)}))
        and ${tenantId} = any(${parameters.denyingTenants}) and ${namesCaller(parameters)} and ${here}) ${name}`;
}

const ownTenant = (caller: CallerOrParameters, tenantId: Fragment) =>
  sql.fragment`${tenantId} = any(${callerParameters(caller).ownedTenants})`;

/** Combines base rights with the rights of permissions. A denial overrides everything but the Owner of the tenant. */
export const withGrants = (caller: CallerOrParameters, tenantId: Fragment, base: Fragment, grants: Fragment) =>
  sql.fragment`case when ${ownTenant(caller, tenantId)} then ${ALL}::int else (${base} | ${grants}.allowed) & ~${grants}.denied end`;

/**
 * All projects with the caller's role and rights, as a table: `from ${projectsWithRights(caller)} p`. Includes deleted
 * and invisible projects; the surrounding statement filters them. Columns: those of `projects`, and
 * - `role`: from the members of the nearest project upwards that does not inherit, null without one. An Owner of the
 * tenant is Owner of every   project, and an API key has its role in every project of its tenant.
 * - `rights`: rights of the role, combined with permissions of the project and of the ancestors through which it
 * inherits members.
 * - `denied`: rights that these permissions deny.
 */
export function projectsWithRights(caller: CallerOrParameters): Fragment {
  const parameters = callerParameters(caller);
  const keyRole = sql.fragment`case when p.tenant_id = ${parameters.keyTenant} then ${parameters.keyRole} end`;
  const tenantId = sql.fragment`p.tenant_id`;
  const grants = sql.fragment`granted`;
  const inheritedFrom = sql.fragment`g.project_id = any(p.path[array_position(p.path, p.member_source_id):])`;
  const base = sql.fragment`${rightsOfRole(sql.fragment`m.role`)} | ${rightsOfRole(keyRole)}`;
  return sql.fragment`
    (select p.*,
       case when ${ownTenant(parameters, tenantId)} then 'Owner' else coalesce(m.role, ${keyRole}) end as role,
       ${withGrants(parameters, tenantId, sql.fragment`(${base})`, grants)} as rights,
       case when ${ownTenant(parameters, tenantId)} then 0 else granted.denied end as denied
     from projects p
     left join project_members m on m.project_id = p.member_source_id and m.user_id = ${parameters.userId}
     ${joinPermissions(parameters, grants, tenantId, inheritedFrom)})`;
}

/** Condition on a table with the columns of `projects`: neither the project nor an ancestor is in the recycle bin. */
export const notDeleted = (p: Fragment): Fragment =>
  sql.fragment`not exists (select from projects a where a.id = any(${p}.path) and a.deleted_at is not null)`;

/** Condition on a row with `rights`: the caller may know that it exists. */
export const isVisible = (p: Fragment): Fragment => sql.fragment`${p}.rights & ${VISIBLE}::int <> 0`;

/** Projects visible to the caller: not deleted, and with the right to read. Columns of `projectsWithRights`. */
export const visibleProjects = (caller: CallerOrParameters): Fragment => {
  const p = sql.fragment`p`;
  return sql.fragment`(select * from ${projectsWithRights(caller)} p where ${notDeleted(p)} and ${isVisible(p)})`;
};

/** Query for the ids of projects whose own members or permissions name the caller. */
export const namedProjects = (caller: CallerOrParameters): Fragment => {
  const parameters = callerParameters(caller);
  return sql.fragment`
  select project_id from project_members where user_id = ${parameters.userId}
  union select g.project_id from permission_grants g where g.project_id is not null and ${namesCaller(parameters)}`;
};

/** `namedProjects` as an array, with which a search in a large tenant can start. */
export const namedIn = (caller: CallerOrParameters): Fragment => sql.fragment`array(${namedProjects(caller)})`;

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
/** A project with what rules check: `requireCapability(project, 'canEdit')`. */
export type VisibleProject = z.infer<typeof Visible>;

const visible = statement(
  'visible project',
  Visible,
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`
  select p.id, p.tenant_id, p.parent_id, p.root_id, p.member_source_id, p.name, p.access_level, p.row_version::text as row_version,
    p.role, p.rights
  from ${visibleProjects(caller)} p where p.id = ${id}`,
);

/** The project, if the caller sees it. */
export const findVisibleProject = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(visible({ ...callerValues(caller), id }));

/** Returns the project, or throws `notFound` if the caller does not see it, before any check of rights. */
export async function visibleProject(db: Reads, caller: Caller, id: string): Promise<VisibleProject> {
  const found = await findVisibleProject(db, caller, id);
  if (!found) throw notFound('Project', id);
  return found;
}
