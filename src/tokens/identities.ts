import type { Db } from '../db.ts';
import { openRecent } from '../platform/async/recent.ts';
import type { Identity } from './queries.ts';
import { findIdentity, findIdentityByLoginId } from './queries.ts';

/** Changes made by other processes show after this time at the latest. */
const KEEP_MS = 5_000;

/** Accounts as they are now, or were five seconds ago: a signed-in request costs no query. */
export interface Identities {
  find(userId: string): Promise<Identity | undefined>;
  /** In its exact spelling: another authorization server may tell `Ann` from `ann`. */
  findByLoginId(id: string): Promise<Identity | undefined>;
  /** What this process changed shows at once. */
  forgetAll(): void;
}

export function openIdentities(db: Db): Identities {
  const recent = openRecent<Identity | undefined>(KEEP_MS);
  return {
    find: (userId) => recent.find(userId, async () => (await findIdentity(db, userId)) ?? undefined),
    findByLoginId: (id) =>
      recent.find(`login id ${id}`, async () => (await findIdentityByLoginId(db, id)) ?? undefined),
    forgetAll: recent.forgetAll,
  };
}
