import type { Db } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import type { Role } from './access.ts';
import { ALL, ROLE_RIGHTS, VISIBLE } from './access.ts';
import type { Selection } from './list.queries.ts';
import { listNamed } from './list.queries.ts';
import type { VisibleProject } from './visibility.queries.ts';

/** What a list is of: the projects directly below one that the caller sees, or the root projects of the tenant the caller acts in. */
export type Place = { parent: VisibleProject } | 'roots';

export interface Standing {
  role?: Role | undefined;
  rights: number;
}

export interface ProjectFilter {
  namePrefix?: string | undefined;
  /** The caller has one of these roles; absent: any. */
  roles?: readonly Role[] | undefined;
  /** The caller's rights include these bits; absent: any. */
  right?: number | undefined;
}

/**
 * What the caller is and may do in each project of a place. A folder may hold tens of thousands, so only those that name the caller, as a
 * member or in permissions of their own, are judged one by one. Of all others it is known before: who inherits is as the parent is, the
 * rest is closed to all but Owners of the tenant and its keys.
 */
export interface Standings {
  of(project: { id: string; inheritsMembers: boolean }): Standing;
  /** The projects that the caller sees and the filter keeps. */
  select(filter: ProjectFilter): Selection;
}

export async function standingsAt(db: Db, caller: Caller, place: Place): Promise<Standings> {
  const at =
    place === 'roots' ? { tenantId: caller.tenantId } : { tenantId: place.parent.tenantId, parentId: place.parent.id };
  const own = everywhere(caller, at.tenantId);
  const inherited: Standing = place === 'roots' ? NONE : { role: place.parent.role, rights: place.parent.rights };
  // nothing takes anything from the Owner of the tenant
  const rows = own.rights === ALL && own.role === 'Owner' && !caller.key ? [] : await listNamed(db, caller, at);
  const named = new Map<string, Standing>(rows.map(({ id, ...standing }) => [id, standing]));
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
 * All directly below a project that lies in a tenant of the caller's own, where he sees everything; the statement looks at whether it does.
 * Undefined: he owns none, or the filter keeps nothing of an Owner's.
 */
export function ownersSelection(caller: Caller, parentId: string, filter: ProjectFilter): Selection | undefined {
  const owned = ownedTenants(caller);
  if (owned.length === 0 || !passes(OWNER, filter)) return undefined;
  const at = { tenantId: undefined, parentId, ownedTenants: owned };
  return { at, namePrefix: filter.namePrefix, inheriting: true, own: true, named: [], kept: [] };
}

const NONE: Standing = { rights: 0 };
const OWNER: Standing = { role: 'Owner', rights: ALL };

const passes = ({ role, rights }: Standing, filter: ProjectFilter) =>
  (rights & VISIBLE) !== 0 &&
  (filter.right === undefined || (rights & filter.right) !== 0) &&
  (filter.roles === undefined || (role !== undefined && filter.roles.includes(role)));

/** What the caller is in every project of a tenant, whoever its members are. */
function everywhere(caller: Caller, tenantId: string | undefined): Standing {
  if (tenantId === undefined) return NONE;
  if (ownedTenants(caller).includes(tenantId)) return OWNER;
  if (caller.key?.tenantId !== tenantId) return NONE;
  return { role: caller.key.role, rights: ROLE_RIGHTS[caller.key.role] };
}
