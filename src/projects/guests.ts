import type { Transaction } from '../db.ts';
import { forbidden } from '../errors.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import type { Role } from './access.ts';
import { findRole, listGuests } from './members.queries.ts';

/** Scope of a change of members: tenant and root of the project. */
interface ProjectRoot {
  tenantId: string;
  rootId: string;
}

/**
 * Throws `forbidden` if an account that is no member of the project's tenant, a guest, gets a role that it did not
 * have. Only Owners of the root project or of the tenant may add guests, so that nobody who owns a subproject alone
 * opens the data of an organisation to others. Returns the guests among the members.
 * @param allowed setting `tenants.guests`
 * @param before the roles that members had, which they may keep
 */
export async function refuseGuests(
  tx: Transaction,
  caller: Caller,
  { tenantId, rootId }: ProjectRoot,
  {
    allowed,
    members,
    before,
  }: { allowed: boolean; members: ReadonlyMap<string, Role>; before: ReadonlyMap<string, Role> },
): Promise<Set<string>> {
  const guests = new Set(await listGuests(tx, tenantId, [...members.keys()]));
  const fresh = [...guests].filter((userId) => before.get(userId) !== members.get(userId));
  const [first] = fresh;
  if (first === undefined) return guests;
  const sentence = `User '${first}' is not a member of the project's tenant.`;
  if (!allowed) throw forbidden(`${sentence} Guests are switched off on this platform.`, { code: 'GuestsNotAllowed' });
  if (!(await ownsRoot(tx, caller, { tenantId, rootId })))
    throw forbidden(`${sentence} Only Owners of the root project or of the tenant may add guests.`, {
      code: 'GuestsNotAllowed',
    });
  return guests;
}

const ownsRoot = async (tx: Transaction, caller: Caller, { tenantId, rootId }: ProjectRoot): Promise<boolean> =>
  ownedTenants(caller).includes(tenantId) ||
  (caller.key?.tenantId === tenantId && caller.key.role === 'Owner') ||
  (await findRole(tx, rootId, caller.userId)) === 'Owner';
