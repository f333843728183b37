import { hkdfSync } from 'node:crypto';
import type { Db } from '../db.ts';
import { invalid } from '../errors.ts';
import { openWith, sealWith } from '../platform/keys/sealing.ts';
import { isUnused, keepAnswer } from './queries.ts';
import type { TokenPair } from './refresh.ts';
import { hashOf } from './refresh-token.ts';

/** How long an answer that was lost on its way can be had again. */
export const REPLAY_MS = 60_000;
const CONTEXT = 'answer to an exchange';

/** The two things that only who asked has: the answer is stored, but not even we can read it without them. */
export interface Asked {
  token: string;
  idempotencyKey: string;
}

export function checkIdempotencyKey(key: string | undefined) {
  if (key !== undefined && (key.length < 1 || key.length > 255))
    throw invalid('Idempotency-Key must have 1 to 255 characters.');
}

/** In the transaction of the exchange: an answer that may have left can be had again, one that cannot has not left. */
export const keepForReplay = (tx: Db, asked: Asked, pair: TokenPair) =>
  keepAnswer(tx, hashOf(asked.token), sealWith(keyOf(asked), JSON.stringify(pair), CONTEXT));

/** The same answer again, while nobody has gone on with its refresh token: who did had received it. */
export async function replay(tx: Db, asked: Asked, sealed: Buffer): Promise<TokenPair | undefined> {
  const text = openWith(keyOf(asked), sealed, CONTEXT);
  if (text === undefined) return undefined;
  const pair = JSON.parse(text) as TokenPair;
  return (await isUnused(tx, hashOf(pair.refreshToken.token))) ? pair : undefined;
}

const keyOf = ({ token, idempotencyKey }: Asked) => Buffer.from(hkdfSync('sha256', token, idempotencyKey, CONTEXT, 32));
