import { isUuid } from 'hydrofiles/terminal';
import type { Account } from '../src/accounts/account.ts';
import type { List } from '../src/http/rules/paging.ts';
import type { Principal } from '../src/projects/principals.queries.ts';
import { accountPath } from './accounts.ts';
import { Refused } from './errors.ts';
import type { Io } from './io.ts';

/** Accounts and API keys by UUID. */
export interface Principals {
  /** Login id of an account, name of a key, else the UUID. */
  displayName(id: string | undefined): string;
  loginIdOf(id: string): string | undefined;
  nameOf(id: string): string | undefined;
}

const BATCH_SIZE = 100;

/** Looks up accounts and keys that the caller may see. Not with `--json`, which prints answers unchanged. */
export async function lookUpPrincipals(io: Io, ids: readonly (string | undefined)[]): Promise<Principals> {
  const known = new Map<string, Principal>();
  const wanted = io.json ? [] : [...new Set(ids.filter((id) => id !== undefined))];
  for (let at = 0; at < wanted.length; at += BATCH_SIZE) {
    const query = { id: wanted.slice(at, at + BATCH_SIZE) };
    try {
      const { body } = await io.api.call<List<Principal>>('GET', '/api/iam/principal/list', { query });
      for (const principal of body.data) known.set(principal.id, principal);
    } catch (error) {
      // an older server has no such list
      if (!(error instanceof Refused) || error.status !== 404) throw error;
    }
  }
  return {
    displayName: (id = '') => known.get(id)?.loginId ?? known.get(id)?.name ?? id,
    loginIdOf: (id) => known.get(id)?.loginId,
    nameOf: (id) => known.get(id)?.name,
  };
}

/** Resolves a login id to a user id. Administrators also find accounts outside of their tenant and projects. */
export async function findUserId(io: Io, account: string): Promise<string> {
  if (isUuid(account)) return account;
  const query = { loginId: [account] };
  const { body } = await io.api.call<List<Principal>>('GET', '/api/iam/principal/list', { query });
  const [known] = body.data;
  if (known) return known.id;
  try {
    return (await io.api.call<Account>('GET', accountPath(account))).body.userId;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    throw new Error(`There is no account '${account}' in your tenant or your projects. Use its user id.`);
  }
}
