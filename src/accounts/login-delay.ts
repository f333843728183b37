import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { clientOf } from '../platform/net/networks.ts';
import type { Failures, Login } from './login.queries.ts';
import {
  abandonPlace,
  countFailure,
  findFailures,
  forgetOldFailures,
  forgetPair,
  keepPlace,
  leavePlace,
  takePlace,
} from './login.queries.ts';

const FORGET_MS = 3_600_000;
/** 1, 2, 4 … 64 times the first wait. */
const MOST_DOUBLINGS = 6;
/** Of the places, for one client and for one account. */
const SHARE = 1 / 10;
/** Who hangs up lets others wait, but guesses no faster than this many times its share. */
const BEGUN_SHARES = 3;
/** For the check itself, until it is known how long there is to wait. */
const CHECK_MS = 60_000;

/** How a check of credentials ended: `incomplete` is neither good nor bad, such as a password that a code must follow. */
export type Verdict<T> =
  | { result: 'success'; value: T }
  | { result: 'incomplete'; value: T }
  | { result: 'failure'; error: AppError };

/** Who shows credentials. */
export interface Guesser extends Pick<Origin, 'address' | 'whenGone'> {
  /** The login id as it was sent; absent where none is shown, as with keys. */
  account?: string;
}

/**
 * Makes guessing slow, over all API processes: the refusals of one client (an IPv4 address, the /64 of an IPv6 address) come later and
 * later, whatever ids it tries, and so do those of the client with one id. A success is never late. It clears the pair of client and id
 * alone: else whoever has an account would log in to it between two guesses of another's password.
 */
export interface LoginDelay {
  /**
   * Runs one check. A failure is thrown when its wait is over, or when the client has hung up. Who would wait if it failed is turned away
   * before the check when too many are waiting: in all, of this client, or for this account.
   */
  attempt<T>(guesser: Guesser, check: () => Promise<Verdict<T>>): Promise<T>;
  /** A failure that needed no check. */
  refuse(guesser: Guesser, error: AppError): Promise<never>;
  /** Failures of this client in the last hour, and the wait of the next one. */
  standing(guesser: Guesser): Promise<{ failures: number; waitMs: number }>;
  /** Ends all waits: the process stops. */
  close(): void;
}

export type LoginDelaySettings = Pick<Config, 'loginDelay.first' | 'loginDelay.maxWaiting'>;

export function openLoginDelay(db: Db, settings: LoginDelaySettings): LoginDelay {
  const most = settings['loginDelay.maxWaiting'];
  const share = Math.ceil(most * SHARE);
  const places = { most, share, mostBegun: BEGUN_SHARES * share };
  /** Ends of the waits of this process. */
  const waiting = new Set<() => void>();
  let closed = false;

  const waitOf = ({ ofClient, ofPair }: Failures) => {
    const failures = Math.max(ofClient, ofPair);
    return failures <= 1 ? 0 : settings['loginDelay.first'] * 2 ** Math.min(failures - 2, MOST_DOUBLINGS);
  };
  /** Of one that fails after these. */
  const nextWaitOf = ({ ofClient, ofPair }: Failures) => waitOf({ ofClient: ofClient + 1, ofPair: ofPair + 1 });

  async function placeFor(login: Login, waitMs: number, holdMs: number): Promise<string> {
    const place = await takePlace(db, login, places, holdMs);
    if (place === undefined) throw tooMany(waitMs);
    return place;
  }

  /** True when the client has hung up before. */
  function wait(ms: number, whenGone: Origin['whenGone']): Promise<boolean> {
    return new Promise((resolve) => {
      let forget = () => {};
      const finish = (gone: boolean) => {
        clearTimeout(timer);
        forget();
        waiting.delete(end);
        resolve(gone);
      };
      const end = () => finish(false);
      const timer = setTimeout(end, ms);
      waiting.add(end);
      forget = whenGone?.(() => finish(true)) ?? forget;
    });
  }

  /** The place is there where a wait was to be expected. */
  async function fail(login: Login, before: string | undefined, whenGone: Origin['whenGone']) {
    const ms = waitOf(await countFailure(db, login, FORGET_MS));
    if (ms === 0 || closed) {
      if (before !== undefined) await leavePlace(db, before);
      return;
    }
    // others of the same client may have failed meanwhile
    const place = before ?? (await placeFor(login, ms, ms));
    if (before !== undefined) await keepPlace(db, place, ms);
    if (await wait(ms, whenGone)) await abandonPlace(db, place);
  }

  const delay: LoginDelay = {
    async attempt({ address, account, whenGone }, check) {
      const login = loginOf(address, account);
      const before = await findFailures(db, login, FORGET_MS);
      const expected = nextWaitOf(before);
      const place = expected > 0 ? await placeFor(login, expected, expected + CHECK_MS) : undefined;
      let verdict: Awaited<ReturnType<typeof check>>;
      try {
        verdict = await check();
      } catch (error) {
        if (place !== undefined) await leavePlace(db, place);
        throw error;
      }
      if (verdict.result === 'failure') {
        await fail(login, place, whenGone);
        throw verdict.error;
      }
      if (place !== undefined) await leavePlace(db, place);
      if (verdict.result === 'success' && before.ofPair > 0) await forgetPair(db, login);
      return verdict.value;
    },
    refuse: (guesser, error) => delay.attempt(guesser, async () => ({ result: 'failure', error })),
    async standing({ address, account }) {
      const failures = await findFailures(db, loginOf(address, account), FORGET_MS);
      return { failures: failures.ofClient, waitMs: nextWaitOf(failures) };
    },
    close() {
      closed = true;
      for (const end of [...waiting]) end();
    },
  };
  return delay;
}

const loginOf = (address: string, account: string | undefined): Login => ({ client: clientOf(address), account });

const tooMany = (ms: number) =>
  new AppError('tooManyRequests', 'Too many failed logins are waiting. Try again later.', {
    code: 'TooManyFailedLogins',
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });

/** Part of the hourly clean-up. */
export const forgetOldLoginFailures = (db: Db) => forgetOldFailures(db, FORGET_MS);
