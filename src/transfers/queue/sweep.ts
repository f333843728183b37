import type { Db } from '../../db.ts';
import { troubleOf } from '../../db.ts';
import { callWorkers } from '../../jobs.ts';
import { endOfDeleted } from '../ends/end-waiting.ts';
import type { Ending } from '../ends/outcome.ts';
import { CANCELLED, endingOf } from '../ends/outcome.ts';
import { settle } from '../ends/settle.ts';
import { wake, wakeAgain } from './enqueue.ts';
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
import { takeRested } from './virtual-time.queries.ts';
import { tellNeeds } from './waiting-needs.ts';

/** What a sweep found and repaired. */
export interface Swept {
  deadWorkers: readonly string[];
  stuckWorkers: readonly string[];
  handedBack: number;
  /** Transfers that ended. */
  ended: string[];
  forgotten: number;
  /** Transfers that it could not end; the next sweep tries again. */
  failures: { id: string; error: unknown }[];
}

export interface SweepOptions {
  /** Also looks for what should not happen: pending transfers without a queue row, rows locked by unknown pools, rows without a transfer. */
  thorough: boolean;
  /** Milliseconds; see the setting `transfers.patience`. */
  patience: number;
}

/** How long after a deadline its worker may take to end the transfer itself. */
const DEADLINE_GRACE_MS = 30_000;
const CANCEL_PATIENCE_MS = 3000;

/**
 * Repairs what killed and stopped workers left. Every live worker calls it about every second, and one at a time does the work
 * (undefined: another one is at it). A dead worker lost its lock with its connection. A stopped one (SIGSTOP) keeps both until it holds a
 * transfer past its deadline: then the sweep ends its connection, and the next sweep finds it dead.
 */
export function sweep(db: Db, { thorough, patience }: SweepOptions): Promise<Swept | undefined> {
  return db.transaction(async (tx) => {
    if (!(await trySweepLock(tx))) return undefined;
    const ended: string[] = [];
    const failures: Swept['failures'] = [];
    // in a savepoint, so that a failure with one transfer does not undo the rest
    const apart = async (id: string, work: (inner: Db) => Promise<unknown>) => {
      try {
        await tx.transaction(work);
      } catch (error) {
        if (troubleOf(error) === 'outage') throw error;
        failures.push({ id, error });
      }
    };
    const end = (transfer: { id: string; attempt: number }, ending: Ending) =>
      apart(transfer.id, async (inner) => {
        const settled = await settle(inner, { unheld: transfer, outcome: ending });
        ended.push(...settled.map(({ id }) => id));
      });

    const deadWorkers = await removeDeadWorkers(tx);
    const lost = await takeFromLostWorkers(tx);
    const locking = thorough ? [...deadWorkers, ...(await listStrangers(tx))] : deadWorkers;
    if (locking.length > 0) await unlockJobs(tx, locking);
    if (thorough) await removeLeftBehind(tx);
    const handedBack = [];
    for (const transfer of lost) {
      const ending = endingOf(transfer);
      if (ending === undefined) handedBack.push(transfer);
      else await end(transfer, ending);
    }
    await wakeAgain(tx, handedBack);
    for (const transfer of await listUnheardCancels(tx, CANCEL_PATIENCE_MS)) await end(transfer, CANCELLED);
    const orphans = thorough ? await listOfDeleted(tx) : [];
    for (const id of orphans) await apart(id, async (inner) => ended.push(...(await endOfDeleted(inner, [id]))));
    const forgotten = thorough ? await listForgotten(tx) : [];
    await wake(tx, forgotten);
    await wake(tx, await takeRested(tx));
    // unlocking notifies no worker
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
