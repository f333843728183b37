import type { Reads } from '../db.ts';
import { forbidden, notFound } from '../errors.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';
import { GENERIC_POOL, hasLedger } from './queries.ts';

const ROLES = ['BackOffice', 'PlatformAdministrator', 'CreditSpender'] as const;
type Role = (typeof ROLES)[number];

const hasRole = (caller: Caller, ...roles: readonly Role[]) => roles.some((role) => caller.roles.includes(role));
const isMember = (caller: Caller, tenantId: string) => caller.tenants.some(({ id }) => id === tenantId);
const owns = (caller: Caller, tenantId: string) =>
  caller.tenants.some(({ id, role }) => id === tenantId && role === 'Owner');
/** An API key with the role Owner acts for its tenant, except in moves and adds. */
const ownsByKey = ({ key }: Caller, tenantId: string) => key?.role === 'Owner' && key.tenantId === tenantId;

/** Throws `notFound` for the id of the generic pool: sent as the id of a tenant, it would open that pool. */
function checkIsTenant(tenantId: string): void {
  if (tenantId === GENERIC_POOL) throw notFound('Tenant', tenantId);
}

/** Throws `notFound` unless the caller may know of the tenant. Asks the database only if the caller is no member. */
export async function checkVisible(db: Reads, caller: Caller, tenantId: string): Promise<void> {
  checkIsTenant(tenantId);
  if (isMember(caller, tenantId)) return;
  const everywhere = isAdministrator(caller) || hasRole(caller, ...ROLES);
  if (!everywhere || !(await hasLedger(db, tenantId))) throw notFound('Tenant', tenantId);
}

async function require(allowed: boolean, db: Reads, caller: Caller, tenantId: string, sentence: string): Promise<void> {
  checkIsTenant(tenantId);
  if (allowed) return;
  await checkVisible(db, caller, tenantId);
  throw forbidden(sentence);
}

/** Adding credits is selling them: being an administrator of the platform is not enough, nor is any key. */
export const checkMayAdd = (db: Reads, caller: Caller, tenantId: string) =>
  require(caller.via === 'token' &&
    hasRole(
      caller,
      'BackOffice',
      'PlatformAdministrator',
    ), db, caller, tenantId, 'Only the roles BackOffice and PlatformAdministrator may add credits, with an access token.');

export const checkMaySpend = (db: Reads, caller: Caller, tenantId: string) =>
  require(hasRole(caller, 'CreditSpender') ||
    owns(caller, tenantId) ||
    ownsByKey(
      caller,
      tenantId,
    ), db, caller, tenantId, `Only Owners of tenant '${tenantId}' and the role CreditSpender may reserve, spend and release its credits.`);

/** Ids of the tenants whose credits the caller may query as a member, or as a key with the role Owner. */
export function queriedTenants({ key, tenants }: Caller): string[] {
  if (key !== undefined) return key.role === 'Owner' ? [key.tenantId] : [];
  return tenants.map(({ id }) => id);
}

/** Whether the caller may query the credits of every tenant. */
export const mayQueryAll = (caller: Caller): boolean =>
  isAdministrator(caller) || hasRole(caller, 'BackOffice', 'PlatformAdministrator');

/** Members, keys with the role Owner, administrators and the back office. */
export async function checkMayQuery(db: Reads, caller: Caller, tenantId: string): Promise<void> {
  if (queriedTenants(caller).includes(tenantId)) return;
  await checkVisible(db, caller, tenantId);
  if (!mayQueryAll(caller)) throw forbidden(`You may not read the credits of tenant '${tenantId}'.`);
}

export const mayQueryGeneric = (caller: Caller): boolean => isAdministrator(caller) || hasRole(caller, 'BackOffice');

export function checkMayQueryGeneric(caller: Caller): void {
  if (!mayQueryGeneric(caller))
    throw forbidden('Only administrators and the role BackOffice may read the generic pool.');
}

/**
 * Moves between tenants need an Owner of both; to and from the generic pool, an administrator or the back office.
 * @param tenants the ends of the move, without the generic pool
 */
export async function checkMayMove(db: Reads, caller: Caller, tenants: readonly string[]): Promise<void> {
  for (const tenantId of tenants) checkIsTenant(tenantId);
  for (const tenantId of tenants) await checkVisible(db, caller, tenantId);
  if (isAdministrator(caller)) return;
  if (tenants.length < 2) {
    if (hasRole(caller, 'BackOffice')) return;
    throw forbidden('Only administrators and the role BackOffice may move credits from or to the generic pool.');
  }
  const foreign = tenants.find((tenantId) => !owns(caller, tenantId));
  if (foreign !== undefined)
    throw forbidden(`Only Owners of tenant '${foreign}' and administrators may move its credits.`);
}
