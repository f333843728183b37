import { randomUUID } from 'node:crypto';
import type { Database, Db } from '../../db.ts';
import type { KeyOwner } from './idempotency.queries.ts';
import { claimKey, giveUpClaim, renewClaims } from './idempotency.queries.ts';

/** How long the keys of a process that is gone are blocked. */
const LEASE_MS = 15_000;
const RENEW_MS = LEASE_MS / 3;

/** A key that this request alone may use, for as long as its process lives. */
export interface Claim {
  /** In the transaction of the effect. False when another request has the key by now, so that the effect must be undone. */
  settle(tx: Db): Promise<boolean>;
  /** The transaction of the effect has committed. */
  settled(): void;
  /** Lets others have the key. Never throws: a claim that stays ends by itself. */
  giveUp(): Promise<void>;
}

export interface Claims {
  /** Nothing when another request runs under this key. */
  take(owner: KeyOwner): Promise<Claim | undefined>;
}

export function openClaims(db: Database): Claims {
  const held = new Set<string>();
  let renewing: NodeJS.Timeout | undefined;
  /** Never a part of the effect of the request that happens to be around. */
  const apart = <T>(work: () => Promise<T>) => db.within(undefined, work);

  function renew() {
    // when the database is away the claims run out; the end of each request finds out whether its own has
    apart(() => renewClaims(db, [...held], LEASE_MS)).catch(() => {});
  }
  function hold(claim: string) {
    held.add(claim);
    renewing ??= setInterval(renew, RENEW_MS).unref();
  }
  function letGo(claim: string) {
    held.delete(claim);
    if (held.size > 0) return;
    clearInterval(renewing);
    renewing = undefined;
  }

  return {
    async take(owner) {
      const claim = randomUUID();
      if (!(await apart(() => claimKey(db, owner, claim, LEASE_MS)))) return undefined;
      hold(claim);
      return {
        settle: (tx) => giveUpClaim(tx, claim),
        settled: () => letGo(claim),
        async giveUp() {
          letGo(claim);
          await apart(() => giveUpClaim(db, claim)).catch(() => {});
        },
      };
    },
  };
}
