import type { Database, Transaction } from '../../db.ts';
import { notifyWorkers } from '../../jobs.ts';
import { databaseErrorKind } from '../../platform/sql/error-kind.ts';
import { endOfDeleted } from '../ends/end-waiting.ts';
import { CANCELLED, decideEnding, type Ending } from '../ends/outcome.ts';
import { settle } from '../ends/settle.ts';
import { enqueueFirst, enqueueTransfers } from './enqueue.ts';
import {
  disconnectStuckWorkers,
  listPendingOfDeleted,
  listUnansweredCancels,
  listUnknownPools,
  listUnqueued,
  removeDeadWorkers,
  removeOrphanedJobs,
  takeFromLostWorkers,
  trySweepLock,
  unlockJobs,
} from './sweep.queries.ts';
import { requeueBackedOff } from './virtual-time.queries.ts';
import { updateWaitingRequirements } from './waiting-requirements.ts';

/** Findings and repairs of a sweep. */
export interface Swept {
  deadWorkers: readonly string[];
  stuckWorkers: readonly string[];
  /** Number of transfers of dead workers that wait again. */
  handedBack: number;
  /** Transfers that ended. */
  ended: string[];
  /** Number of waiting transfers that had no queue row and got a new one. */
  requeued: number;
  /** Transfers that it could not end; the next sweep tries again. */
  failures: { id: string; error: unknown }[];
}

export interface SweepOptions {
  /**
   * Also looks for inconsistencies: pending transfers without a queue row, rows locked by unknown pools, rows without a
   * transfer.
   */
  thorough: boolean;
  /** Milliseconds; see the setting `transfers.patience`. */
  patience: number;
}

/** How long a worker may take after a deadline to end the transfer itself. */
const DEADLINE_GRACE_MS = 30_000;
const CANCEL_PATIENCE_MS = 3000;

/**
 * Takes over the transfers of dead workers. Every live worker calls it about every second, and one at a time does the
 * work (undefined: another worker does it now). A dead worker lost its liveness lock with its connection. A stopped one
 * (SIGSTOP) keeps both until it holds a transfer past its deadline: then the sweep ends its connection, and the next
 * sweep finds it dead.
 */
export function sweep(db: Database, { thorough, patience }: SweepOptions): Promise<Swept | undefined> {
  return db.transaction(async (tx) => {
    if (!(await trySweepLock(tx))) return undefined;
    const ended: string[] = [];
    const failures: Swept['failures'] = [];
    // in a savepoint, so that a failure with one transfer does not undo the rest
    const inSavepoint = async (id: string, work: (inner: Transaction) => Promise<unknown>) => {
      try {
        await tx.transaction(work);
      } catch (error) {
        if (databaseErrorKind(error) === 'outage') throw error;
        failures.push({ id, error });
      }
    };
    const end = (transfer: { id: string; attempt: number }, ending: Ending) =>
      inSavepoint(transfer.id, async (inner) => {
        const settled = await settle(inner, { unheld: transfer, outcome: ending });
        ended.push(...settled.map(({ id }) => id));
      });

    const deadWorkers = await removeDeadWorkers(tx);
    const lost = await takeFromLostWorkers(tx);
    const locking = thorough ? [...deadWorkers, ...(await listUnknownPools(tx))] : deadWorkers;
    if (locking.length > 0) await unlockJobs(tx, locking);
    if (thorough) await removeOrphanedJobs(tx);
    const handedBack = [];
    for (const transfer of lost) {
      const ending = decideEnding(transfer);
      if (ending === undefined) handedBack.push(transfer);
      else await end(transfer, ending);
    }
    await enqueueFirst(tx, handedBack);
    for (const transfer of await listUnansweredCancels(tx, CANCEL_PATIENCE_MS)) await end(transfer, CANCELLED);
    const orphans = thorough ? await listPendingOfDeleted(tx) : [];
    for (const id of orphans) await inSavepoint(id, async (inner) => ended.push(...(await endOfDeleted(inner, [id]))));
    const unqueued = thorough ? await listUnqueued(tx) : [];
    await enqueueTransfers(tx, unqueued);
    await enqueueTransfers(tx, await requeueBackedOff(tx));
    // unlocking notifies no worker
    if (locking.length > 0) await notifyWorkers(tx);
    await updateWaitingRequirements(tx, patience);
    const stuckWorkers = await disconnectStuckWorkers(tx, DEADLINE_GRACE_MS);
    return {
      deadWorkers,
      stuckWorkers,
      handedBack: handedBack.length,
      ended,
      requeued: unqueued.length,
      failures,
    };
  });
}
