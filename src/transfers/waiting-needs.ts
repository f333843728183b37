import type { Db } from '../db.ts';
import type { LiveWorker } from './standing.ts';
import { couldRun, reasonOf } from './standing.ts';
import type { Head } from './waiting-needs.queries.ts';
import { listHeads, listLiveWorkers, setHolds, setWaitingNeeds } from './waiting-needs.queries.ts';
import { wakeAgain } from './wake.ts';

/**
 * Finds out what needs wait and why nobody starts them, and has one worker keep room free for a transfer that stands first and was
 * overtaken by smaller ones for too long. As much work as there are distinct needs, not transfers.
 * @param patience milliseconds
 */
export async function tellNeeds(tx: Db, patience: number): Promise<void> {
  const heads = await listHeads(tx);
  const workers = await listLiveWorkers(tx);
  const waiting = heads.map((head) => ({ head, reason: reasonOf(workers, head.flags) }));
  await setWaitingNeeds(
    tx,
    waiting.map(({ head: { flags }, reason }) => ({ flags, reason })),
  );

  const ready = waiting.filter(({ reason }) => reason === undefined).map(({ head }) => head.turn);
  const first = Math.min(...ready);
  const held = new Set(workers.map(({ holdsFor }) => holdsFor));
  const overtaken = waiting
    .filter(
      ({ reason, head }) =>
        held.has(head.id) ||
        (reason !== undefined && head.waitedMs > patience && (head.attempt > 0 || head.turn <= first)),
    )
    .map(({ head }) => head)
    .sort((a, b) => a.turn - b.turn);
  const holds = chooseHolders(workers, overtaken);
  if (holds.length > 0 || workers.some(({ holdsFor }) => holdsFor !== undefined)) await setHolds(tx, holds);
  for (const { head, fresh } of holds) if (fresh) await wakeAgain(tx, head);
}

/** One worker for each transfer, and none for two: whoever does it already, else whoever has to wait for the least. */
function chooseHolders(workers: readonly LiveWorker[], overtaken: readonly Head[]) {
  const idle = new Map(workers.map((worker) => [worker.pool, worker]));
  const holds: { pool: string; id: string; fresh: boolean; head: Head }[] = [];
  for (const head of overtaken) {
    const able = [...idle.values()].filter((worker) => couldRun(worker, head.flags));
    const before = able.find(({ holdsFor }) => holdsFor === head.id);
    const chosen = before ?? able.sort((a, b) => a.running.length - b.running.length)[0];
    if (!chosen) continue;
    idle.delete(chosen.pool);
    holds.push({ pool: chosen.pool, id: head.id, fresh: before === undefined, head });
  }
  return holds;
}
