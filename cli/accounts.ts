import { moment, record } from 'hydrofiles/terminal';
import type { Account } from '../src/accounts/account.ts';

/** Path of an account, by its login id. */
export const accountPath = (id: string) => `/api/accounts/${encodeURIComponent(id)}`;

/** Formats an account for people. */
export const describeAccount = (account: Account) =>
  record({
    id: account.id,
    'user id': account.userId,
    name: account.name,
    email: account.email,
    company: account.company,
    tenant: account.tenantId,
    roles: account.roles,
    state: describeState(account),
    groups: account.userGroups.join(', '),
    'second factor': account.secondFactor,
    'last login': moment(account.lastLoginAt),
  });

/** State of an account in one or two words. */
export function describeState({ activated, enabled, locked }: Account): string {
  if (!enabled) return 'disabled';
  if (locked) return 'locked';
  return activated ? 'active' : 'not activated';
}
