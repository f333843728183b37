import { z } from 'zod';
import { audit, by } from '../../audit.ts';
import type { Database, Reads } from '../../db.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { flag, number } from '../../http/rules/members.ts';
import { Drain, type DrainTarget, deleteDrain, insertDrain, isWorker, listDrains } from './queries.ts';
import { listWorkerStates, WorkerState } from './workers.ts';

/** Active drains and their progress. */
export const Draining = z.object({
  drains: z.array(Drain).describe('Drains: workers in their scope accept no more transfers.'),
  workers: z.array(WorkerState).describe('Workers that the drains concern.'),
  running: number('Number of transfers that still run on draining workers.'),
  drained: flag('Whether no draining worker takes or runs transfers any more.'),
});
export type Draining = z.infer<typeof Draining>;

/** Target of a drain: all workers, those of a host, or one. */
export function drainTarget({ worker, host }: { worker?: string | undefined; host?: string | undefined }): DrainTarget {
  if (worker !== undefined && host !== undefined)
    throw invalid('The request names a worker and a host. Send only one of them.');
  if (worker !== undefined) return { scope: 'pool', name: worker };
  return host === undefined ? { scope: 'all', name: '' } : { scope: 'host', name: host };
}

/** Drains workers: they take no new transfers and finish running ones. Lasts until `endDrain`, also across restarts. */
export async function drain(db: Database, caller: Caller, target: DrainTarget): Promise<Draining> {
  await db.transaction(async (tx) => {
    if (target.scope === 'pool' && !(await isWorker(tx, target.name))) throw notFound('Worker', target.name);
    await insertDrain(tx, target, caller.accountId);
    await audit(tx, { action: 'worker.drain', ...by(caller), subject: auditSubject(target) });
  });
  return draining(db);
}

export async function endDrain(db: Database, caller: Caller, target: DrainTarget): Promise<Draining> {
  await db.transaction(async (tx) => {
    if (!(await deleteDrain(tx, target))) throw notFound('Drain of', auditSubject(target));
    await audit(tx, { action: 'worker.drain.end', ...by(caller), subject: auditSubject(target) });
  });
  return draining(db);
}

const auditSubject = ({ scope, name }: DrainTarget) => (scope === 'all' ? 'all workers' : name);

export async function draining(db: Reads): Promise<Draining> {
  const workers = [...(await listWorkerStates(db))];
  const affected = workers.filter((worker) => worker.draining && worker.alive);
  const running = affected.reduce((sum, worker) => sum + worker.running, 0);
  return {
    drains: [...(await listDrains(db))],
    workers,
    running,
    drained: running === 0 && affected.every((worker) => worker.drainingSince !== undefined),
  };
}
