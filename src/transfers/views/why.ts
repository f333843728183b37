import { z } from 'zod';
import type { Db } from '../../db.ts';
import { notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { findTransfer, listSeen, STATUSES } from '../queries.ts';
import type { LiveWorker } from '../queue/queue-status.ts';
import { couldRun, neverOn, notNowOn, reasonOf } from '../queue/queue-status.ts';
import { askedOf } from '../queue/requirements.ts';
import { listLiveWorkers } from '../queue/waiting-needs.queries.ts';
import { getStanding } from './why.queries.ts';

export const Why = z
  .object({
    status: z.enum(STATUSES),
    /** What it asks of a worker, such as `label:gpu=a100` or `memory:4096`. */
    needs: z.array(z.string()).optional(),
    /** How many start before it. */
    position: z.number().optional(),
    reason: z.string().optional(),
    /** Transfers that the caller sees and that have what it waits for. */
    blockedBy: z.array(z.string()).optional(),
    /** What each could do for it. Their names are made up anew at each start and say nothing of machines. */
    workers: z.array(z.object({ id: z.string(), canRun: z.boolean(), reason: z.string().optional() })),
  })
  .meta({ id: 'WaitingExplanation' });
export type Why = z.infer<typeof Why>;

/** Why a transfer has not been started: told of the moment, not of the last sweep. Of one that is over, or under way, there is nothing to tell. */
export async function whyTransfer(db: Db, caller: Caller, id: string): Promise<Why> {
  if (!(await findTransfer(db, caller, id))) throw notFound('Transfer', id);
  return whyNot(db, id, (ids) => listSeen(db, caller, ids));
}

/**
 * The same for whoever may know.
 * @param seen which of these transfers may be named
 */
export async function whyNot(
  db: Db,
  id: string,
  seen: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<Why> {
  const { status, flags, resting, position } = await getStanding(db, id);
  if (status !== 'Pending') return { status, workers: [] };
  const workers = await listLiveWorkers(db);
  const reason = reasonOf(workers, flags) ?? resting;
  const needs = askedOf(flags);
  const busy = workers.filter((worker) => couldRun(worker, flags) && notNowOn(worker, flags) !== undefined);
  const idle = workers.some((worker) => couldRun(worker, flags) && notNowOn(worker, flags) === undefined);
  const blocking = idle ? [] : busy.flatMap(({ running }) => running.map((transfer) => transfer.id));
  const blockedBy = blocking.length === 0 ? [] : await seen(blocking);
  return {
    status,
    ...(needs.length === 0 ? {} : { needs }),
    ...(position === undefined ? {} : { position }),
    ...(reason === undefined ? {} : { reason }),
    ...(blockedBy.length === 0 ? {} : { blockedBy: [...blockedBy] }),
    workers: workers.map((worker) => chance(worker, flags)),
  };
}

/** Why none of the workers that take transfers now could ever run what has these needs. Undefined: one could, or there is none to ask. */
export async function whyNobody(db: Db, flags: readonly string[]): Promise<string | undefined> {
  const takers = (await listLiveWorkers(db)).filter(({ draining }) => !draining);
  if (takers.length === 0 || takers.some((worker) => couldRun(worker, flags))) return undefined;
  return reasonOf(takers, flags);
}

function chance(worker: LiveWorker, flags: readonly string[]): Why['workers'][number] {
  const never = neverOn(worker, flags);
  const reason = never ?? notNowOn(worker, flags);
  return { id: worker.pool, canRun: never === undefined, ...(reason === undefined ? {} : { reason }) };
}
