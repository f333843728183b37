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

/** The claims of this process. */
export class Claims {
  readonly #db: Database;
  readonly #held = new Set<string>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined while another request holds the key. */
  async take(owner: KeyOwner): Promise<Claim | undefined> {
    const claim = randomUUID();
    if (!(await this.#outside((tx) => claimKey(tx, owner, claim, LEASE_MS)))) return undefined;
    this.#held.add(claim);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
    return {
      releaseIn: (tx) => releaseClaim(tx, claim),
      released: () => this.#drop(claim),
      release: async () => {
        this.#drop(claim);
        await this.#outside((tx) => releaseClaim(tx, claim)).catch(() => {});
      },
    };
  }

  /** A transaction outside of that of the request. */
  #outside<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#db.within(undefined, () => this.#db.transaction(work));
  }

  #renew() {
    // if renewals fail, the leases expire, and `releaseIn` returns false
    this.#outside((tx) => renewClaims(tx, [...this.#held], LEASE_MS)).catch(() => {});
  }

  #drop(claim: string) {
    this.#held.delete(claim);
    if (this.#held.size > 0) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }
}
