import type { Account } from '../src/accounts/account.ts';
import { record } from './table.ts';

/** Of one account, by its login id. */
export const accountPath = (id: string) => `/api/accounts/${encodeURIComponent(id)}`;

/** One account, for people. */
export const describeAccount = (account: Account) =>
  record({
    id: account.id,
    'user id': account.userId,
    name: account.name,
    email: account.email,
    company: account.company,
    tenant: account.tenantId,
    roles: account.roles,
    state: stateOf(account),
  });

/** In a word or two. */
export function stateOf({ activated, enabled, locked }: Account): string {
  if (!enabled) return 'disabled';
  if (locked) return 'locked';
  return activated ? 'active' : 'not activated';
}
