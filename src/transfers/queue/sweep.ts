import type { Db } from '../../db.ts';
import { troubleOf } from '../../db.ts';
import { callWorkers } from '../../jobs.ts';
import { endOfDeleted } from '../ends/end-waiting.ts';
import { CANCELLED, lastWords } from '../ends/outcome.ts';
import { failUnheld } from '../ends/settle.ts';
import {
  disownStuckWorkers,
  listForgotten,
  listOfDeleted,
  listStrangers,
  listUnheardCancels,
  removeDeadWorkers,
  removeLeftBehind,
  takeFromLostWorkers,
  trySweepLock,
  unlockJobs,
} from './sweep.queries.ts';
import { takeRested } from './turn.queries.ts';
import { tellNeeds } from './waiting-needs.ts';
import { wake, wakeAgain } from './wake.ts';

/** What a sweep found and mended. */
export interface Swept {
  deadWorkers: readonly string[];
  stuckWorkers: readonly string[];
  handedBack: number;
  /** Transfers that ended. */
  ended: string[];
  forgotten: number;
  /** Transfers that should have ended and could not be; the next sweep tries again. */
  failures: { id: string; error: unknown }[];
}

export interface SweepOptions {
  /** Also looks for what should not happen: pending transfers without a row in the queue, rows locked by pools unknown, rows of nothing. */
  thorough: boolean;
  /** Milliseconds; see the setting `transfers.patience`. */
  patience: number;
}

/** How long after a deadline its worker may still be about to say so. */
const DEADLINE_GRACE_MS = 30_000;
const CANCEL_PATIENCE_MS = 3000;

/**
 * Mends what killed and stopped workers left; every live worker calls it every second or so, and one at a time does the work (undefined:
 * another one is at it). A worker that is gone lost its lock with its connection; one that is stopped keeps both, until it sits on a
 * transfer past its deadline and its connection is ended from here: its next sweep finds it gone.
 */
export function sweep(db: Db, { thorough, patience }: SweepOptions): Promise<Swept | undefined> {
  return db.transaction(async (tx) => {
    if (!(await trySweepLock(tx))) return undefined;
    const ended: string[] = [];
    const failures: Swept['failures'] = [];
    // in a savepoint: what goes wrong with one transfer keeps nothing else from being mended
    const apart = async (id: string, work: (inner: Db) => Promise<unknown>) => {
      try {
        await tx.transaction(work);
      } catch (error) {
        if (troubleOf(error) === 'outage') throw error;
        failures.push({ id, error });
      }
    };
    const end = (transfer: { id: string; attempt: number }, sentence: string) =>
      apart(transfer.id, async (inner) => {
        if (await failUnheld(inner, transfer, sentence)) ended.push(transfer.id);
      });

    const deadWorkers = await removeDeadWorkers(tx);
    const lost = await takeFromLostWorkers(tx);
    const locking = thorough ? [...deadWorkers, ...(await listStrangers(tx))] : deadWorkers;
    if (locking.length > 0) await unlockJobs(tx, locking);
    if (thorough) await removeLeftBehind(tx);
    const handedBack = [];
    for (const transfer of lost) {
      const sentence = lastWords(transfer);
      if (sentence === undefined) handedBack.push(transfer);
      else await end(transfer, sentence);
    }
    await wakeAgain(tx, handedBack);
    for (const transfer of await listUnheardCancels(tx, CANCEL_PATIENCE_MS)) await end(transfer, CANCELLED);
    const orphans = thorough ? await listOfDeleted(tx) : [];
    for (const id of orphans) await apart(id, async (inner) => ended.push(...(await endOfDeleted(inner, [id]))));
    const forgotten = thorough ? await listForgotten(tx) : [];
    await wake(tx, forgotten);
    await wake(tx, await takeRested(tx));
    // unlocking alone tells nobody
    if (locking.length > 0) await callWorkers(tx);
    await tellNeeds(tx, patience);
    const stuckWorkers = await disownStuckWorkers(tx, DEADLINE_GRACE_MS);
    return {
      deadWorkers,
      stuckWorkers,
      handedBack: handedBack.length,
      ended,
      forgotten: forgotten.length,
      failures,
    };
  });
}
