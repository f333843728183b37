import type { Account } from '../src/accounts/account.ts';
import type { List } from '../src/http/rules/paging.ts';
import type { Principal } from '../src/projects/principals.queries.ts';
import { accountPath } from './accounts.ts';
import { Refused } from './errors.ts';
import type { Io } from './io.ts';
import { isUuid } from './uuid.ts';

/** People and keys by their uuids. */
export interface Principals {
  /** Login id of an account, name of a key, else the uuid itself. */
  called(id: string | undefined): string;
  loginIdOf(id: string): string | undefined;
  nameOf(id: string): string | undefined;
}

const MOST_AT_ONCE = 100;

/** Who stands behind these uuids, as far as the caller may know. With `--json` nobody is asked: answers are shown as they came. */
export async function principalsOf(io: Io, ids: readonly (string | undefined)[]): Promise<Principals> {
  const known = new Map<string, Principal>();
  const wanted = io.json ? [] : [...new Set(ids.filter((id) => id !== undefined))];
  for (let at = 0; at < wanted.length; at += MOST_AT_ONCE) {
    const query = { id: wanted.slice(at, at + MOST_AT_ONCE) };
    try {
      const { body } = await io.api.call<List<Principal>>('GET', '/api/iam/principal/list', { query });
      for (const principal of body.data) known.set(principal.id, principal);
    } catch (error) {
      // an older server has no such list
      if (!(error instanceof Refused) || error.status !== 404) throw error;
    }
  }
  return {
    called: (id = '') => known.get(id)?.loginId ?? known.get(id)?.name ?? id,
    loginIdOf: (id) => known.get(id)?.loginId,
    nameOf: (id) => known.get(id)?.name,
  };
}

/** People go by their login id, most of the interface by a uuid. Whom the caller may not know of, administrators look up. */
export async function userIdOf(io: Io, account: string): Promise<string> {
  if (isUuid(account)) return account;
  const query = { loginId: [account] };
  const { body } = await io.api.call<List<Principal>>('GET', '/api/iam/principal/list', { query });
  const [known] = body.data;
  if (known) return known.id;
  try {
    return (await io.api.call<Account>('GET', accountPath(account))).body.userId;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    throw new Error(`There is no account '${account}' in your tenant or your projects: give its user id.`);
  }
}
