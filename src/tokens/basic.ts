import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Presented } from './caller.ts';
import { holderOf } from './caller.ts';
import type { Identities } from './identities.ts';
import type { LoginParts } from './log-in.ts';
import { logIn } from './log-in.ts';

/**
 * Who shows login id and password with this very request (RFC 7617), checked as a login is, its waits included. Nothing when they are wrong,
 * and for an account that would be asked for a one-time password, which Basic has no place for.
 */
export async function findBasicCaller(
  { identities, ...login }: LoginParts & { identities: Identities },
  { authorization, address, requestId, whenGone }: Presented,
): Promise<Caller | undefined> {
  const given = credentialsIn(authorization);
  if (!given) return undefined;
  try {
    const userId = await logIn(login, given, { address, requestId, whenGone }, async (_tx, userId) => userId);
    const identity = typeof userId === 'string' ? await identities.find(userId) : undefined;
    if (!identity) return undefined;
    return { ...holderOf(identity), scopes: [], via: 'basic', address, requestId };
  } catch (error) {
    // a stranger learns no more than that nobody valid is asking
    if (error instanceof AppError && ['invalid', 'forbidden'].includes(error.kind)) return undefined;
    throw error;
  }
}

function credentialsIn(authorization = '') {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(authorization) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // neither id nor password can hold what a database does not store
  return colon < 1 || text.includes('\0') ? undefined : { id: text.slice(0, colon), password: text.slice(colon + 1) };
}
