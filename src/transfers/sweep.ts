import type { Db } from '../db.ts';
import { callWorkers } from '../jobs.ts';
import { failUnheld } from './finish.ts';
import {
  disownStuckWorkers,
  listForgotten,
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
}

export interface SweepOptions {
  /** Also looks for what should not happen: pending transfers without a row in the queue, rows locked by pools unknown, rows of nothing. */
  thorough: boolean;
  /** Milliseconds; see the setting `transfers.patience`. */
  patience: number;
}

/** A transfer that lost this many workers is given back once more; with the next loss it ends. */
const MOST_WORKER_LOSSES = 8;
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
    const end = async (transfer: { id: string; attempt: number }, sentence: string) => {
      if (await failUnheld(tx, transfer, sentence)) ended.push(transfer.id);
    };

    const deadWorkers = await removeDeadWorkers(tx);
    const lost = await takeFromLostWorkers(tx);
    const locking = thorough ? [...deadWorkers, ...(await listStrangers(tx))] : deadWorkers;
    if (locking.length > 0) await unlockJobs(tx, locking);
    if (thorough) await removeLeftBehind(tx);
    const hopeless = lost.filter(({ cancelled, workerLosses }) => cancelled || workerLosses > MOST_WORKER_LOSSES);
    for (const { cancelled, workerLosses, ...transfer } of hopeless)
      await end(
        transfer,
        cancelled ? 'Cancelled.' : `The workers that ran this transfer were lost ${workerLosses} times.`,
      );
    const handedBack = lost.filter((transfer) => !hopeless.includes(transfer));
    await wakeAgain(tx, handedBack);
    for (const transfer of await listUnheardCancels(tx, CANCEL_PATIENCE_MS)) await end(transfer, 'Cancelled.');
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
    };
  });
}
