import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import { clientOf } from '../networks.ts';
import { countFailure, findFailures, forgetFailures, forgetOldFailures } from './login-delay.queries.ts';

const FORGET_MS = 3_600_000;
/** 1, 2, 4 … 64 times the first wait. */
const MOST_DOUBLINGS = 6;

/** How a check of credentials ended: `incomplete` is neither good nor bad, such as a password that a code must follow. */
export type Verdict<T> =
  | { result: 'success'; value: T }
  | { result: 'incomplete'; value: T }
  | { result: 'failure'; error: AppError };

/**
 * Makes guessing slow: the refusals of one client (an IPv4 address, the /64 of an IPv6 address) come later and later, over all API
 * processes. A success is never late, and sets its client back.
 */
export interface LoginDelay {
  /**
   * Runs one check. A failure is thrown when its wait is over. A client whose failure would wait is turned away before the check when
   * too many are waiting already.
   */
  attempt<T>(address: string, check: () => Promise<Verdict<T>>): Promise<T>;
  /** A failure that needed no check. */
  refuse(address: string, error: AppError): Promise<never>;
  /** Failures in a row of this client, and the wait of the next one. */
  standing(address: string): Promise<{ failures: number; waitMs: number }>;
  /** Ends all waits: the process stops. */
  close(): void;
}

export type LoginDelaySettings = Pick<Config, 'loginDelay.first' | 'loginDelay.maxWaiting'>;

export function openLoginDelay(db: Db, settings: LoginDelaySettings): LoginDelay {
  const mostWaiting = settings['loginDelay.maxWaiting'];
  const waiting = new Set<() => void>();
  /** Checks under way that will wait if they fail. */
  let reserved = 0;
  let closed = false;

  const waitOf = (failures: number) =>
    failures <= 1 ? 0 : settings['loginDelay.first'] * 2 ** Math.min(failures - 2, MOST_DOUBLINGS);
  const isFull = () => waiting.size + reserved >= mostWaiting;

  function wait(ms: number): Promise<void> {
    // who hangs up keeps its place: otherwise hanging up would be the way to guess fast
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waiting.add(end);
    });
  }

  const delay: LoginDelay = {
    async attempt(address, check) {
      const client = clientOf(address);
      const before = await findFailures(db, client, FORGET_MS);
      const mayWait = waitOf(before + 1) > 0;
      if (mayWait && isFull()) throw tooMany(waitOf(before + 1));
      if (mayWait) reserved++;
      let verdict: Awaited<ReturnType<typeof check>>;
      let ms = 0;
      try {
        verdict = await check();
        if (verdict.result === 'success' && before > 0) await forgetFailures(db, client);
        if (verdict.result === 'failure') ms = waitOf(await countFailure(db, client, FORGET_MS));
      } finally {
        if (mayWait) reserved--;
      }
      if (verdict.result !== 'failure') return verdict.value;
      // without a place of its own: others of the same client failed meanwhile
      if (ms > 0 && isFull()) throw tooMany(ms);
      if (ms > 0 && !closed) await wait(ms);
      throw verdict.error;
    },
    refuse: (address, error) => delay.attempt(address, async () => ({ result: 'failure', error })),
    async standing(address) {
      const failures = await findFailures(db, clientOf(address), FORGET_MS);
      return { failures, waitMs: waitOf(failures + 1) };
    },
    close() {
      closed = true;
      for (const end of [...waiting]) end();
    },
  };
  return delay;
}

const tooMany = (ms: number) =>
  new AppError('tooManyRequests', 'Too many failed logins are waiting. Try again later.', {
    code: 'TooManyFailedLogins',
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });

/** Part of the hourly clean-up. */
export const forgetOldLoginFailures = (db: Db) => forgetOldFailures(db, FORGET_MS);
