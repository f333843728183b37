import type { Db } from '../../db.ts';
import type { Waiting } from './enqueue.ts';
import { wakeAgain } from './enqueue.ts';
import type { LiveWorker } from './queue-status.ts';
import { couldRun, reasonOf } from './queue-status.ts';
import { listLiveWorkers, listWaiting, setHolds, setWaitingNeeds } from './waiting-needs.queries.ts';

/**
 * Finds out what needs wait and why nobody starts them, and has one worker keep room free for a transfer that stands first and was
 * overtaken by smaller ones for too long. As much work as there are distinct needs, not transfers.
 * @param patience milliseconds
 */
export async function tellNeeds(tx: Db, patience: number): Promise<void> {
  const waiting = await listWaiting(tx);
  const workers = await listLiveWorkers(tx);
  const needs = waiting.map(({ flags }) => ({ flags, reason: reasonOf(workers, flags) }));
  await setWaitingNeeds(tx, needs);

  const heads = waiting.flatMap(({ flags, head }, n) => (head ? [{ ...head, flags, reason: needs[n]?.reason }] : []));
  const first = Math.min(...heads.filter(({ reason }) => reason === undefined).map(({ turn }) => turn));
  const before = new Set(workers.map(({ holdsFor }) => holdsFor));
  const overtaken = heads
    .filter(
      ({ id, reason, waitedMs, attempt, turn }) =>
        before.has(id) || (reason !== undefined && waitedMs > patience && (attempt > 0 || turn <= first)),
    )
    .sort((a, b) => a.turn - b.turn);
  const holds = chooseHolders(workers, overtaken);
  if (holds.length > 0 || workers.some(({ holdsFor }) => holdsFor !== undefined))
    await setHolds(
      tx,
      holds.map(({ pool, held: { id } }) => ({ pool, id })),
    );
  await wakeAgain(
    tx,
    holds.filter(({ fresh }) => fresh).map(({ held }) => held),
  );
}

/** One worker for each transfer, and none for two: whoever does it already, else whoever has to wait for the least. */
function chooseHolders(workers: readonly LiveWorker[], overtaken: readonly Waiting[]) {
  const idle = new Map(workers.map((worker) => [worker.pool, worker]));
  const holds: { pool: string; held: Waiting; fresh: boolean }[] = [];
  for (const held of overtaken) {
    const able = [...idle.values()].filter((worker) => couldRun(worker, held.flags));
    const before = able.find(({ holdsFor }) => holdsFor === held.id);
    const chosen = before ?? able.sort((a, b) => a.running.length - b.running.length)[0];
    if (!chosen) continue;
    idle.delete(chosen.pool);
    holds.push({ pool: chosen.pool, held, fresh: before === undefined });
  }
  return holds;
}
