import type { Db } from '../db.ts';
import type { Identity } from './identity.queries.ts';
import { findIdentity } from './identity.queries.ts';

/** Changes made by other processes show after this time at the latest. */
const KEEP_MS = 5_000;
const MOST = 10_000;

/** Accounts as they are now, or were five seconds ago: a signed-in request costs no query. */
export interface Identities {
  find(userId: string): Promise<Identity | undefined>;
  /** What this process changed shows at once. */
  forgetAll(): void;
}

export function openIdentities(db: Db): Identities {
  let kept = new Map<string, { since: number; identity: Promise<Identity | undefined> }>();
  return {
    find(userId) {
      const found = kept.get(userId);
      if (found && performance.now() - found.since < KEEP_MS) return found.identity;
      const home = kept;
      home.delete(userId);
      const oldest = home.size >= MOST ? home.keys().next().value : undefined;
      if (oldest !== undefined) home.delete(oldest);
      const identity = findIdentity(db, userId).then((row) => row ?? undefined);
      const entry = { since: performance.now(), identity };
      home.set(userId, entry);
      identity.catch(() => {
        // an outage is not remembered
        if (home.get(userId) === entry) home.delete(userId);
      });
      return identity;
    },
    // a query under way writes into the map that it was begun with, never into the new one
    forgetAll() {
      kept = new Map();
    },
  };
}
