import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { clientOf } from '../platform/net/networks.ts';
import type { Failures, LoginSource } from './login.queries.ts';
import {
  abandonSlot,
  countFailure,
  deleteOldFailures,
  deletePairFailures,
  extendSlot,
  findFailures,
  releaseSlot,
  takeSlot,
} from './login.queries.ts';

const FORGET_MS = 3_600_000;
/** Delays are 1, 2, 4 … 64 times the first one. */
const MAX_DOUBLINGS = 6;
/** Maximum share of all slots for one client, and for guesses at one account. */
const SHARE = 1 / 10;
/** A client that hangs up frees its slot for others, but may begin at most this many times its share. */
const ABANDONED_SHARES = 3;
/** How long a slot is reserved for the check itself, before the delay is known. */
const CHECK_MS = 60_000;

/** The client that sends credentials. */
export interface LoginClient extends Pick<Origin, 'address' | 'whenGone'> {
  /** Login id as it was sent; absent for API keys. */
  account?: string;
}

/** A check of credentials under way. Call `fail` or `succeed` if that is how it ended, and `end` in any case. */
export interface Admission {
  /** The credentials are wrong: counts a failure, then waits until the delay is over or the client has hung up. */
  fail(): Promise<void>;
  /** The credentials are right: forgets the failures of this client with this login id. */
  succeed(): Promise<void>;
  /** Releases the slot, unless a delay has used it. */
  end(): Promise<void>;
}

/**
 * Slows down guessing, over all API processes: answers to failed logins are delayed, the longer the more often a client
 * (an IPv4 address, the /64 of an IPv6 address) failed with any login id, or with this one. Successful logins are never
 * delayed. They clear the count of the pair (client, login id) only: otherwise anyone with an account could log in
 * between two guesses at another's password.
 *
 * A delayed answer occupies a slot. Slots are limited: in all, per client and per account.
 */
export interface LoginDelay {
  /**
   * Call before checking credentials. If a failure would be delayed, reserves the slot now and throws
   * `TooManyFailedLogins` when none is free: thrown after the check, it would tell without a delay that the credentials
   * were wrong.
   */
  admit(client: LoginClient): Promise<Admission>;
  /** Counts a failure that needed no check, and throws `error` after the delay. */
  refuse(client: LoginClient, error: AppError): Promise<never>;
  /** Failures of this client in the last hour, and the delay if the next login fails. */
  status(client: LoginClient): Promise<{ failures: number; delayMs: number }>;
  /** Ends all delays of this process, which stops. */
  close(): void;
}

export type LoginDelaySettings = Pick<Config, 'loginDelay.first' | 'loginDelay.maxWaiting'>;

export function openLoginDelay(db: Db, settings: LoginDelaySettings): LoginDelay {
  const total = settings['loginDelay.maxWaiting'];
  const share = Math.ceil(total * SHARE);
  const limits = { total, share, withAbandoned: ABANDONED_SHARES * share };
  const delays = openDelays();

  function delayMsOf({ ofClient, ofPair }: Failures): number {
    const failures = Math.max(ofClient, ofPair);
    return failures <= 1 ? 0 : settings['loginDelay.first'] * 2 ** Math.min(failures - 2, MAX_DOUBLINGS);
  }
  /** If the next login fails. */
  const nextDelayMsOf = ({ ofClient, ofPair }: Failures) => delayMsOf({ ofClient: ofClient + 1, ofPair: ofPair + 1 });

  async function reserveSlot(source: LoginSource, delayMs: number, holdMs: number): Promise<string> {
    const slot = await takeSlot(db, source, limits, holdMs);
    if (slot === undefined) throw tooManyFailedLogins(delayMs);
    return slot;
  }

  async function admit({ address, account, whenGone }: LoginClient): Promise<Admission> {
    const source = sourceOf(address, account);
    const before = await findFailures(db, source, FORGET_MS);
    const expectedMs = nextDelayMsOf(before);
    let reserved = expectedMs > 0 ? await reserveSlot(source, expectedMs, expectedMs + CHECK_MS) : undefined;
    return {
      async fail() {
        const delayMs = delayMsOf(await countFailure(db, source, FORGET_MS));
        if (delayMs === 0 || delays.closed()) return;
        // Nothing is reserved if other logins of this client have failed since `admit`.
        const slot = reserved ?? (await reserveSlot(source, delayMs, delayMs));
        if (reserved !== undefined) await extendSlot(db, slot, delayMs);
        reserved = undefined;
        if ((await delays.wait(delayMs, whenGone)) === 'hungUp') await abandonSlot(db, slot);
      },
      async succeed() {
        if (before.ofPair > 0) await deletePairFailures(db, source);
      },
      async end() {
        if (reserved !== undefined) await releaseSlot(db, reserved);
      },
    };
  }

  return {
    admit,
    async refuse(client, error) {
      const admission = await admit(client);
      try {
        await admission.fail();
      } finally {
        await admission.end();
      }
      throw error;
    },
    async status({ address, account }) {
      const failures = await findFailures(db, sourceOf(address, account), FORGET_MS);
      return { failures: failures.ofClient, delayMs: nextDelayMsOf(failures) };
    },
    close: delays.close,
  };
}

/** Delays of this process, which `close` ends early. */
function openDelays() {
  const ends = new Set<() => void>();
  let closed = false;
  return {
    closed: () => closed,
    /** Tells whether the time is over or the client has hung up before. */
    wait: (ms: number, whenGone: Origin['whenGone']) =>
      new Promise<'over' | 'hungUp'>((resolve) => {
        if (closed) return resolve('over');
        let unsubscribe = () => {};
        const finish = (result: 'over' | 'hungUp') => {
          clearTimeout(timer);
          unsubscribe();
          ends.delete(end);
          resolve(result);
        };
        const end = () => finish('over');
        const timer = setTimeout(end, ms);
        ends.add(end);
        unsubscribe = whenGone?.(() => finish('hungUp')) ?? unsubscribe;
      }),
    close() {
      closed = true;
      for (const end of [...ends]) end();
    },
  };
}

const sourceOf = (address: string, account: string | undefined): LoginSource => ({
  client: clientOf(address),
  account,
});

const tooManyFailedLogins = (delayMs: number) =>
  new AppError('tooManyRequests', 'Too many failed logins are waiting. Try again later.', {
    code: 'TooManyFailedLogins',
    retryAfter: Math.max(1, Math.ceil(delayMs / 1000)),
  });

/** Part of the hourly clean-up. */
export const forgetOldLoginFailures = (db: Db) => deleteOldFailures(db, FORGET_MS);
