import type { Transaction } from '../../db.ts';
import { listClusterViews } from '../cluster/cluster-views.queries.ts';
import { findPlacement } from '../cluster/placement.ts';
import { enqueueFirst, type WaitingTransfer } from './enqueue.ts';
import { couldRun, type LiveWorker } from './queue-status.ts';
import {
  findPause,
  listLiveWorkers,
  listWaiting,
  setHolds,
  setWaitingRequirements,
} from './waiting-requirements.queries.ts';

/**
 * Stores for each combination of flags why no worker and no cluster starts its transfers now. Reserves a worker for a
 * transfer that is first in the queue and that smaller transfers have overtaken for too long. The cost depends on the
 * number of combinations, not of transfers.
 * @param patience milliseconds
 */
export async function updateWaitingRequirements(tx: Transaction, patience: number): Promise<void> {
  const waiting = await listWaiting(tx);
  const workers = await listLiveWorkers(tx);
  const pause = await findPause(tx);
  const views = waiting.length === 0 ? [] : await listClusterViews(tx);
  const needs = waiting.map(({ flags }) => ({ flags, reason: findPlacement(workers, views, flags, pause).reason }));
  await setWaitingRequirements(tx, needs);

  const heads = waiting.flatMap(({ flags, head }, n) => (head ? [{ ...head, flags, reason: needs[n]?.reason }] : []));
  const firstRunnable = Math.min(
    ...heads.filter(({ reason }) => reason === undefined).map(({ virtualTime }) => virtualTime),
  );
  const before = new Set(workers.map(({ reservedFor }) => reservedFor));
  const overtaken = heads
    .filter(
      ({ id, reason, waitedMs, attempt, virtualTime }) =>
        before.has(id) ||
        (reason !== undefined && waitedMs > patience && (attempt > 0 || virtualTime <= firstRunnable)),
    )
    .sort((a, b) => a.virtualTime - b.virtualTime);
  const holds = chooseHolders(workers, overtaken);
  if (holds.length > 0 || workers.some(({ reservedFor }) => reservedFor !== undefined))
    await setHolds(
      tx,
      holds.map(({ pool, held: { id } }) => ({ pool, id })),
    );
  await enqueueFirst(
    tx,
    holds.filter(({ fresh }) => fresh).map(({ held }) => held),
  );
}

/**
 * Chooses one worker for each transfer: the one that is reserved for it already, else the one with the fewest running
 * transfers.
 */
function chooseHolders(workers: readonly LiveWorker[], overtaken: readonly WaitingTransfer[]) {
  const idle = new Map(workers.map((worker) => [worker.pool, worker]));
  const holds: { pool: string; held: WaitingTransfer; fresh: boolean }[] = [];
  for (const held of overtaken) {
    const able = [...idle.values()].filter((worker) => couldRun(worker, held.flags));
    const before = able.find(({ reservedFor }) => reservedFor === held.id);
    const chosen = before ?? able.sort((a, b) => a.running.length - b.running.length)[0];
    if (!chosen) continue;
    idle.delete(chosen.pool);
    holds.push({ pool: chosen.pool, held, fresh: before === undefined });
  }
  return holds;
}
