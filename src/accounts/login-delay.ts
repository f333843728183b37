import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { rateLimitKey } from '../platform/net/networks.ts';
import {
  abandonSlot,
  countFailure,
  deleteOldFailures,
  deletePairFailures,
  type Failures,
  findFailures,
  type LoginSource,
  type SlotLimits,
  takeSlot,
} from './login.queries.ts';

const FORGET_MS = 3_600_000;
/** Delays are 1, 2, 4 … 64 times the first one. */
const MAX_DOUBLINGS = 6;
/** Maximum share of all places for guesses of one client at one account. */
const PAIR_SHARE = 1 / 10;
/** Maximum share of all places for guesses of one client at any accounts. */
const CLIENT_SHARE = 1 / 2;
/** A client that hangs up frees its place for others, but may begin at most this many times its share. */
const ABANDONED_SHARES = 3;

/** The client that sent credentials. */
export interface LoginClient extends Pick<Origin, 'address' | 'whenGone'> {
  /** Login id as it was sent. */
  account: string;
}

export type LoginDelaySettings = Pick<Config, 'loginDelay.first' | 'loginDelay.maxWaiting'>;

/**
 * Slows down guessing, over all API processes: answers to failed logins are delayed, the longer the more often a client
 * (an IPv4 address, the /64 of an IPv6 address) failed with any login id, or with this one. Successful logins are never
 * delayed. They clear the count of the pair (client, login id) only: otherwise anyone with an account could log in
 * between two guesses at another's password.
 *
 * A delayed answer occupies a place. Places are limited: in all, per client and per pair.
 */
export class LoginDelay {
  readonly #db: Database;
  readonly #firstMs: number;
  readonly #limits: SlotLimits;
  readonly #delays = new Delays();

  constructor(db: Database, settings: LoginDelaySettings) {
    const total = settings['loginDelay.maxWaiting'];
    const [ofPair, ofClient] = [Math.ceil(total * PAIR_SHARE), Math.ceil(total * CLIENT_SHARE)];
    this.#db = db;
    this.#firstMs = settings['loginDelay.first'];
    this.#limits = { total, ofPair, ofClient, withAbandoned: ABANDONED_SHARES * ofPair };
  }

  /**
   * The credentials are wrong: counts a failure, then waits until the delay is over or the client has hung up. Throws
   * `TooManyFailedLogins` when no place is free. Only wrong credentials get that answer, so it tells a client that
   * fills its places which passwords are wrong, as fast as they can be checked: `accounts.lockoutAfter` bounds that.
   */
  async fail({ address, account, whenGone }: LoginClient): Promise<void> {
    const source = loginSource(address, account);
    const delayMs = this.#delayMs(await this.#db.transaction((tx) => countFailure(tx, source, FORGET_MS)));
    if (delayMs === 0 || this.#delays.closed) return;
    const slot = await takeSlot(this.#db, source, this.#limits, delayMs);
    if (slot === undefined) throw tooManyFailedLogins(delayMs);
    if ((await this.#delays.wait(delayMs, whenGone)) === 'hungUp')
      await this.#db.transaction((tx) => abandonSlot(tx, slot));
  }

  /** The credentials are right: forgets the failures of this client with this login id. */
  async succeed({ address, account }: LoginClient): Promise<void> {
    await this.#db.transaction((tx) => deletePairFailures(tx, loginSource(address, account)));
  }

  /** Failures of this client in the last hour, and the delay if the next login fails. */
  async status({ address, account }: LoginClient): Promise<{ failures: number; delayMs: number }> {
    const { ofClient, ofPair } = await findFailures(this.#db, loginSource(address, account), FORGET_MS);
    return { failures: ofClient, delayMs: this.#delayMs({ ofClient: ofClient + 1, ofPair: ofPair + 1 }) };
  }

  /** Ends all delays of this process, which stops. */
  close(): void {
    this.#delays.close();
  }

  #delayMs({ ofClient, ofPair }: Failures): number {
    const failures = Math.max(ofClient, ofPair);
    return failures <= 1 ? 0 : this.#firstMs * 2 ** Math.min(failures - 2, MAX_DOUBLINGS);
  }
}

/** Delays of this process, which `close` ends early. */
class Delays {
  readonly #ends = new Set<() => void>();
  closed = false;

  /** Tells whether the time is over or the client has hung up before. */
  wait(ms: number, whenGone: Origin['whenGone']): Promise<'over' | 'hungUp'> {
    return new Promise((resolve) => {
      if (this.closed) return resolve('over');
      let unsubscribe = () => {};
      const finish = (result: 'over' | 'hungUp') => {
        clearTimeout(timer);
        unsubscribe();
        this.#ends.delete(end);
        resolve(result);
      };
      const end = () => finish('over');
      const timer = setTimeout(end, ms);
      this.#ends.add(end);
      unsubscribe = whenGone?.(() => finish('hungUp')) ?? unsubscribe;
    });
  }

  close() {
    this.closed = true;
    for (const end of [...this.#ends]) end();
  }
}

const loginSource = (address: string, account: string): LoginSource => ({ client: rateLimitKey(address), account });

const tooManyFailedLogins = (delayMs: number) =>
  new AppError('tooManyRequests', 'Too many failed logins are waiting. Try again later.', {
    code: 'TooManyFailedLogins',
    retryAfter: Math.max(1, Math.ceil(delayMs / 1000)),
  });

/** Part of the hourly clean-up. */
export const forgetOldLoginFailures = (db: Database) => db.transaction((tx) => deleteOldFailures(tx, FORGET_MS));
