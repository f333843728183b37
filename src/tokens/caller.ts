import { invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { AccessTokens } from './access.ts';
import type { Identities } from './identities.ts';
import type { Identity } from './queries.ts';

/** Credentials and origin of a request. */
export interface Presented extends Origin {
  /** The whole Authorization header. */
  authorization: string | undefined;
}

/**
 * The caller with this bearer token. Undefined when the token is not valid, its login has ended, or its account is
 * deleted, disabled or not activated. Groups, roles and tenants are the account's present ones, not the token's. Needs
 * no query when token and account are cached.
 */
export async function findCaller(
  { tokens, identities }: { tokens: AccessTokens; identities: Identities },
  { authorization, address, agent, requestId }: Presented,
): Promise<Caller | undefined> {
  const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
  if (!token) return undefined;
  const grant = await tokens.verify(token);
  if (!grant) return undefined;
  const { holder, loggedInAt } = grant;
  const identity = await ('userId' in holder
    ? identities.findByLogin(holder.userId, holder.login)
    : identities.findByLoginId(holder.accountId));
  if (!identity?.enabled || !identity.activated) return undefined;
  return {
    ...holderOf(identity),
    ...('login' in holder && 'familyId' in holder.login ? { familyId: holder.login.familyId } : {}),
    ...(loggedInAt === undefined ? {} : { loggedInAt }),
    scopes: grant.scopes ?? tokens.scopesOf(identity),
    via: 'token',
    expires: grant.expires,
    address,
    agent,
    requestId,
  };
}

/** The members of a caller that come from the account, whatever credentials the request has. */
export const holderOf = ({ userId, accountId, foldedId, tenantId, tenants, groups, roles }: Identity) => ({
  userId,
  accountId,
  foldedId,
  ...(tenantId === undefined ? {} : { tenantId }),
  tenants,
  groups,
  roles,
});

/** Throws `TokenNotValid` for an access token that authenticates nobody. */
export async function validate(
  parts: { tokens: AccessTokens; identities: Identities },
  token: string,
  from: { address: string; requestId: string },
): Promise<void> {
  if (!(await findCaller(parts, { authorization: `Bearer ${token}`, ...from })))
    throw invalid('The token is not valid.', { code: 'TokenNotValid' });
}
