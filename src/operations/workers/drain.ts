import { by, record } from '../../audit.ts';
import type { Db } from '../../db.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Drain, DrainTarget } from './queries.ts';
import { deleteDrain, insertDrain, isWorker, listDrains } from './queries.ts';
import type { WorkerState } from './workers.ts';
import { listWorkerStates } from './workers.ts';

/** What is being drained, and how far that is. */
export interface Draining {
  drains: Drain[];
  workers: WorkerState[];
  /** Transfers that run on workers which are being drained. */
  running: number;
  /** Each of these workers takes no transfer any more, and none runs there. */
  drained: boolean;
}

/** All workers, those of a machine, or one. */
export function targetOf({ worker, host }: { worker?: string | undefined; host?: string | undefined }): DrainTarget {
  if (worker !== undefined && host !== undefined) throw invalid('Name a worker or a host, not both.');
  if (worker !== undefined) return { scope: 'pool', name: worker };
  return host === undefined ? { scope: 'all', name: '' } : { scope: 'host', name: host };
}

/** Has these workers take no more transfers; those that run go to their end. Kept until it is ended, whatever restarts. */
export async function drain(db: Db, caller: Caller, target: DrainTarget): Promise<Draining> {
  await db.transaction(async (tx) => {
    if (target.scope === 'pool' && !(await isWorker(tx, target.name))) throw notFound('Worker', target.name);
    await insertDrain(tx, target, caller.accountId);
    await record(tx, { action: 'worker.drain', ...by(caller), subject: subjectOf(target) });
  });
  return draining(db);
}

export async function endDrain(db: Db, caller: Caller, target: DrainTarget): Promise<Draining> {
  await db.transaction(async (tx) => {
    if (!(await deleteDrain(tx, target))) throw notFound('Drain of', subjectOf(target));
    await record(tx, { action: 'worker.drain.end', ...by(caller), subject: subjectOf(target) });
  });
  return draining(db);
}

const subjectOf = ({ scope, name }: DrainTarget) => (scope === 'all' ? 'all workers' : name);

export async function draining(db: Db): Promise<Draining> {
  const workers = [...(await listWorkerStates(db))];
  const concerned = workers.filter((worker) => worker.draining && worker.alive);
  const running = concerned.reduce((sum, worker) => sum + worker.running, 0);
  return {
    drains: [...(await listDrains(db))],
    workers,
    running,
    drained: running === 0 && concerned.every((worker) => worker.drainingSince !== undefined),
  };
}
