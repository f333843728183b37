import type { Reads } from '../db.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import { ALL, ROLE_RIGHTS, type Role, VISIBLE } from './access.ts';
import { listNamed, type Selection } from './list.queries.ts';
import type { VisibleProject } from './visibility.queries.ts';

interface Access {
  role?: Role | undefined;
  rights: number;
}

export interface ProjectFilter {
  namePrefix?: string | undefined;
  /** Keeps projects in which the caller has one of these roles. */
  roles?: readonly Role[] | undefined;
  /** Keeps projects in which the caller has one of these rights, as bits. */
  right?: number | undefined;
}

/**
 * The caller's access to each project of a list. A list may have tens of thousands of projects, so only those that name
 * the caller, as a member or in their own permissions, are looked up one by one. The access to all others follows from
 * the list: a project that inherits its members has the access of the parent; any other is closed to everyone but
 * Owners and API keys of the tenant.
 */
export interface ListAccess {
  /** Access to one project of the list. */
  of(project: { id: string; inheritsMembers: boolean }): Access;
  /** Selects the projects that the caller sees and the filter keeps. */
  select(filter: ProjectFilter): Selection;
}

/**
 * Access to the direct subprojects of a visible parent or, without one, to the root projects of the caller's current
 * tenant.
 */
export async function listAccess(db: Reads, caller: Caller, parent: VisibleProject | undefined): Promise<ListAccess> {
  const at = parent ? { tenantId: parent.tenantId, parentId: parent.id } : { tenantId: caller.tenantId };
  const own = tenantAccess(caller, at.tenantId);
  const inherited: Access = parent ? { role: parent.role, rights: parent.rights } : NONE;
  // permissions cannot deny an Owner of the tenant anything
  const rows = own.rights === ALL && own.role === 'Owner' && !caller.key ? [] : await listNamed(db, caller, at);
  const named = new Map<string, Access>(rows.map(({ id, ...access }) => [id, access]));
  return {
    of: ({ id, inheritsMembers }) => named.get(id) ?? (inheritsMembers ? inherited : own),
    select: (filter) => ({
      at,
      namePrefix: filter.namePrefix,
      inheriting: passes(inherited, filter),
      own: passes(own, filter),
      named: [...named.keys()],
      kept: rows.filter((row) => passes(row, filter)).map((row) => row.id),
    }),
  };
}

/**
 * Selects all direct subprojects of a project, for an Owner of its tenant, who sees everything. The statement itself
 * checks the tenant. Undefined if the caller owns no tenant, or if the filter keeps nothing that an Owner has.
 */
export function tenantOwnerSelection(caller: Caller, parentId: string, filter: ProjectFilter): Selection | undefined {
  const owned = ownedTenants(caller);
  if (owned.length === 0 || !passes(OWNER, filter)) return undefined;
  const at = { tenantId: undefined, parentId, ownedTenants: owned };
  return { at, namePrefix: filter.namePrefix, inheriting: true, own: true, named: [], kept: [] };
}

const NONE: Access = { rights: 0 };
const OWNER: Access = { role: 'Owner', rights: ALL };

const passes = ({ role, rights }: Access, filter: ProjectFilter) =>
  (rights & VISIBLE) !== 0 &&
  (filter.right === undefined || (rights & filter.right) !== 0) &&
  (filter.roles === undefined || (role !== undefined && filter.roles.includes(role)));

/** Access that the caller has to every project of a tenant, as its Owner or by an API key. */
function tenantAccess(caller: Caller, tenantId: string | undefined): Access {
  if (tenantId === undefined) return NONE;
  if (ownedTenants(caller).includes(tenantId)) return OWNER;
  if (caller.key?.tenantId !== tenantId) return NONE;
  return { role: caller.key.role, rights: ROLE_RIGHTS[caller.key.role] };
}
