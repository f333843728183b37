import { hkdfSync } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from '../db.ts';
import { invalid } from '../errors.ts';
import { openWith, sealWith } from '../platform/keys/encryption.ts';
import { isUnused, storeAnswer } from './queries.ts';
import { hashToken } from './refresh-token.ts';
import type { TokenPair } from './token-pair.ts';

/** How long the lost answer to an exchange can be fetched again. */
export const REPLAY_MS = 60_000;
const CONTEXT = 'answer to an exchange';

/**
 * What only the client has: stored answers are encrypted with it, so that even the platform cannot read them without
 * the client.
 */
export interface ReplayKey {
  token: string;
  idempotencyKey: string;
}

export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']?.toString();
  if (key !== undefined && (key.length < 1 || key.length > 255))
    throw invalid('Idempotency-Key must have 1 to 255 characters.');
  return key;
}

/** Stores the answer in the transaction of the exchange: every answer that was sent can be fetched again. */
export const storeForReplay = (tx: Transaction, key: ReplayKey, pair: TokenPair) =>
  storeAnswer(tx, hashToken(key.token), sealWith(replaySecret(key), JSON.stringify(pair), CONTEXT));

/** The first answer again. Undefined when its refresh token was exchanged: the client has received the answer, then. */
export async function findReplay(tx: Transaction, key: ReplayKey, sealed: Buffer): Promise<TokenPair | undefined> {
  const text = openWith(replaySecret(key), sealed, CONTEXT);
  if (text === undefined) return undefined;
  const pair = JSON.parse(text) as TokenPair;
  return (await isUnused(tx, hashToken(pair.refreshToken.token))) ? pair : undefined;
}

const replaySecret = ({ token, idempotencyKey }: ReplayKey) =>
  Buffer.from(hkdfSync('sha256', token, idempotencyKey, CONTEXT, 32));
