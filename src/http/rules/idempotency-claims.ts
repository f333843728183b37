import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../db.ts';
import { claimKey, type KeyOwner, releaseClaim, renewClaims } from './idempotency.queries.ts';

/** Time until the keys of a dead process can be claimed again. */
const LEASE_MS = 15_000;
const RENEW_MS = LEASE_MS / 3;

/** A lease of an idempotency key, which is renewed while the process lives. */
export interface Claim {
  /** Releases the claim in the request's transaction. False if another request has taken over the key: roll back. */
  releaseIn(tx: Transaction): Promise<boolean>;
  /** Call it after the commit of `releaseIn`. Ends the renewal. */
  released(): void;
  /** Releases the claim. Never throws: if it fails, the lease expires. */
  release(): Promise<void>;
}

export interface Claims {
  /** Undefined while another request holds the key. */
  take(owner: KeyOwner): Promise<Claim | undefined>;
}

export function openClaims(db: Database): Claims {
  const held = new Set<string>();
  let renewing: NodeJS.Timeout | undefined;
  /** Runs outside of the request's transaction. */
  const outside = <T>(work: () => Promise<T>) => db.within(undefined, work);

  function renew() {
    // if renewals fail, the leases expire, and `releaseIn` returns false
    outside(() => db.transaction((tx) => renewClaims(tx, [...held], LEASE_MS))).catch(() => {});
  }
  function hold(claim: string) {
    held.add(claim);
    renewing ??= setInterval(renew, RENEW_MS).unref();
  }
  function drop(claim: string) {
    held.delete(claim);
    if (held.size > 0) return;
    clearInterval(renewing);
    renewing = undefined;
  }

  return {
    async take(owner) {
      const claim = randomUUID();
      if (!(await outside(() => db.transaction((tx) => claimKey(tx, owner, claim, LEASE_MS))))) return undefined;
      hold(claim);
      return {
        releaseIn: (tx) => releaseClaim(tx, claim),
        released: () => drop(claim),
        async release() {
          drop(claim);
          await outside(() => db.transaction((tx) => releaseClaim(tx, claim))).catch(() => {});
        },
      };
    },
  };
}
