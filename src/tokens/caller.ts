import { invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { AccessTokens } from './access.ts';
import type { Identities } from './identities.ts';
import type { Identity } from './queries.ts';

/** What a request shows of its sender. */
export interface Presented extends Origin {
  /** The whole header field. */
  authorization: string | undefined;
}

/**
 * Who holds this bearer token. Nothing when it is not valid, or when its account was deleted, disabled or not yet activated. Groups, roles
 * and tenants are the account's present ones, not the token's. Costs no query when token and account were seen in the last seconds.
 */
export async function findCaller(
  { tokens, identities }: { tokens: AccessTokens; identities: Identities },
  { authorization, address, requestId }: Presented,
): Promise<Caller | undefined> {
  const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
  if (!token) return undefined;
  const grant = await tokens.verify(token);
  if (!grant) return undefined;
  const { holder } = grant;
  const identity = await ('userId' in holder
    ? identities.find(holder.userId)
    : identities.findByLoginId(holder.accountId));
  if (!identity?.enabled || !identity.activated) return undefined;
  return {
    ...holderOf(identity),
    scopes: grant.scopes ?? tokens.scopesOf(identity),
    via: 'token',
    address,
    requestId,
  };
}

/** What a caller is by the account alone, however he has shown that it is his. */
export const holderOf = ({ userId, accountId, foldedId, tenantId, tenants, groups, roles }: Identity) => ({
  userId,
  accountId,
  foldedId,
  ...(tenantId === undefined ? {} : { tenantId }),
  tenants,
  groups,
  roles,
});

/** Refuses an access token that would open nothing. */
export async function validate(
  parts: { tokens: AccessTokens; identities: Identities },
  token: string,
  from: { address: string; requestId: string },
): Promise<void> {
  if (!(await findCaller(parts, { authorization: `Bearer ${token}`, ...from })))
    throw invalid('The token is not valid.', { code: 'TokenNotValid' });
}
