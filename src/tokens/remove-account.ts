import { deleteAccount, getAccount, lockAccount } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import { audit, by } from '../audit.ts';
import type { Reads } from '../db.ts';
import { conflict } from '../errors.ts';
import { keepingAnAdministrator } from '../groups/administrators.ts';
import type { Caller } from '../http/caller.ts';
import { findTenantOwnedAlone, lockOwnedTenants } from '../tenants/members.queries.ts';
import { countRemoval } from './removal.queries.ts';

/** Counts what `removeAccount` would delete besides the account. */
export async function previewRemoval(db: Reads, id: string) {
  const { userId } = await getAccount(db, id);
  return countRemoval(db, userId);
}

/**
 * Deletes an account with its memberships, logins, tokens and what permissions allow its login id. Refuses for the last
 * administrator and the last Owner of a tenant.
 */
export async function removeAccount(
  { db, store }: { db: Reads; store: AccountStore },
  caller: Caller,
  id: string,
): Promise<void> {
  await store.refresh();
  const { userId } = await getAccount(db, id);
  await store.change((tx) =>
    keepingAnAdministrator(tx, [userId], async () => {
      await lockOwnedTenants(tx, userId);
      const account = await lockAccount(tx, userId);
      const tenantId = await findTenantOwnedAlone(tx, userId);
      if (tenantId)
        throw conflict(`'${account.id}' is the last Owner of tenant ${tenantId}. Add another Owner first.`, {
          code: 'LastOwner',
        });
      await deleteAccount(tx, account);
      await audit(tx, {
        action: 'account.delete',
        subject: account.id,
        tenantId: account.tenantId,
        ...by(caller),
        details: { userId },
      });
    }),
  );
}
