import type { Caller } from '../http/caller.ts';
import { holderOf, type Presented } from './caller.ts';
import type { Identities } from './identities.ts';
import { type LoginParts, logIn, passSecondFactor, success } from './log-in.ts';

/**
 * HTTP Basic (RFC 7617): a login with every request, delays included. Undefined for every refusal, and for accounts
 * that need a one-time password, which Basic cannot carry.
 */
export async function findBasicCaller(
  { identities, ...login }: LoginParts & { identities: Identities },
  { authorization, address, agent, requestId, whenGone }: Presented,
): Promise<Caller | undefined> {
  const credentials = credentialsIn(authorization);
  if (!credentials) return undefined;
  const origin = { address, agent, requestId, whenGone };
  const outcome = await logIn(login, credentials, origin, async (tx, userId) => {
    const unmet = await passSecondFactor(tx, login, userId, {}, origin, 'basic');
    return unmet ?? success(userId);
  });
  const identity = outcome.result === 'success' ? await identities.find(outcome.value) : undefined;
  if (!identity) return undefined;
  return { ...holderOf(identity), scopes: [], via: 'basic', loggedInAt: Date.now(), address, agent, requestId };
}

function credentialsIn(authorization = '') {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(authorization) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // Postgres stores no NUL, so no id or password contains one
  return colon < 1 || text.includes('\0') ? undefined : { id: text.slice(0, colon), password: text.slice(colon + 1) };
}
