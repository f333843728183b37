import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { clientOf } from '../platform/net/networks.ts';
import {
  abandonSlot,
  countFailure,
  deleteOldFailures,
  deletePairFailures,
  type Failures,
  findFailures,
  type LoginSource,
  takeSlot,
} from './login.queries.ts';

const FORGET_MS = 3_600_000;
/** Delays are 1, 2, 4 … 64 times the first one. */
const MAX_DOUBLINGS = 6;
/** Maximum share of all places for guesses of one client at one account. */
const PAIR_SHARE = 1 / 10;
/** The same for one client, with any accounts. */
const CLIENT_SHARE = 1 / 2;
/** A client that hangs up frees its place for others, but may begin at most this many times its share. */
const ABANDONED_SHARES = 3;

/** The client that sent credentials. */
export interface LoginClient extends Pick<Origin, 'address' | 'whenGone'> {
  /** Login id as it was sent. */
  account: string;
}

/**
 * Slows down guessing, over all API processes: answers to failed logins are delayed, the longer the more often a client
 * (an IPv4 address, the /64 of an IPv6 address) failed with any login id, or with this one. Successful logins are never
 * delayed. They clear the count of the pair (client, login id) only: otherwise anyone with an account could log in
 * between two guesses at another's password.
 *
 * A delayed answer occupies a place. Places are limited: in all, per client and per pair.
 */
export interface LoginDelay {
  /**
   * The credentials are wrong: counts a failure, then waits until the delay is over or the client has hung up. Throws
   * `TooManyFailedLogins` when no place is free. Only wrong credentials get that answer, so it tells a client that
   * fills its places which passwords are wrong, as fast as they can be checked: `accounts.lockoutAfter` bounds that.
   */
  fail(client: LoginClient): Promise<void>;
  /** The credentials are right: forgets the failures of this client with this login id. */
  succeed(client: LoginClient): Promise<void>;
  /** Failures of this client in the last hour, and the delay if the next login fails. */
  status(client: LoginClient): Promise<{ failures: number; delayMs: number }>;
  /** Ends all delays of this process, which stops. */
  close(): void;
}

export type LoginDelaySettings = Pick<Config, 'loginDelay.first' | 'loginDelay.maxWaiting'>;

export function openLoginDelay(db: Database, settings: LoginDelaySettings): LoginDelay {
  const total = settings['loginDelay.maxWaiting'];
  const [ofPair, ofClient] = [Math.ceil(total * PAIR_SHARE), Math.ceil(total * CLIENT_SHARE)];
  const limits = { total, ofPair, ofClient, withAbandoned: ABANDONED_SHARES * ofPair };
  const delays = openDelays();

  function delayMsOf({ ofClient, ofPair }: Failures): number {
    const failures = Math.max(ofClient, ofPair);
    return failures <= 1 ? 0 : settings['loginDelay.first'] * 2 ** Math.min(failures - 2, MAX_DOUBLINGS);
  }

  return {
    async fail({ address, account, whenGone }) {
      const source = sourceOf(address, account);
      const delayMs = delayMsOf(await db.transaction((tx) => countFailure(tx, source, FORGET_MS)));
      if (delayMs === 0 || delays.closed()) return;
      const slot = await takeSlot(db, source, limits, delayMs);
      if (slot === undefined) throw tooManyFailedLogins(delayMs);
      if ((await delays.wait(delayMs, whenGone)) === 'hungUp') await db.transaction((tx) => abandonSlot(tx, slot));
    },
    succeed: async ({ address, account }) =>
      void (await db.transaction((tx) => deletePairFailures(tx, sourceOf(address, account)))),
    async status({ address, account }) {
      const { ofClient, ofPair } = await findFailures(db, sourceOf(address, account), FORGET_MS);
      return { failures: ofClient, delayMs: delayMsOf({ ofClient: ofClient + 1, ofPair: ofPair + 1 }) };
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

const sourceOf = (address: string, account: string): LoginSource => ({ client: clientOf(address), account });

const tooManyFailedLogins = (delayMs: number) =>
  new AppError('tooManyRequests', 'Too many failed logins are waiting. Try again later.', {
    code: 'TooManyFailedLogins',
    retryAfter: Math.max(1, Math.ceil(delayMs / 1000)),
  });

/** Part of the hourly clean-up. */
export const forgetOldLoginFailures = (db: Database) => db.transaction((tx) => deleteOldFailures(tx, FORGET_MS));
