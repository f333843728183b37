import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { component, flag, number, objects, text, texts, timeText } from '../../http/rules/members.ts';
import { listClusterViews } from '../cluster/cluster-views.queries.ts';
import { findPlacement } from '../cluster/placement.ts';
import { findTransfer, listSeen, STATUSES } from '../queries.ts';
import { couldRun, type LiveWorker, permanentReason, temporaryReason } from '../queue/queue-status.ts';
import { requestedFlags } from '../queue/requirements.ts';
import { findPause, listLiveWorkers } from '../queue/waiting-requirements.queries.ts';
import { getQueueStatus } from './why.queries.ts';

export const Why = component('WaitingExplanation', {
  status: z.enum(STATUSES).describe('State of the transfer.'),
  needs: texts('Resource requests.', ['label:gpu=a100', 'memory:4096']).optional(),
  position: number('Number of transfers ahead of it.').optional(),
  reason: text('Why it waits; of a failed transfer, its error.', 'No worker has the label gpu.').optional(),
  blockedBy: texts(
    'Ids of running transfers that hold the resources that it waits for; only those that the caller sees.',
  ).optional(),
  verdict: z
    .enum(['never', 'notNow'])
    .describe(
      'With a Kubernetes cluster whose nodes are known: whether no worker, node or class of nodes could ever take it, or one could, but not now. Absent: one has room.',
    )
    .optional(),
  node: text('The node or class that is nearest to having room for it.', 'node-7').optional(),
  lacks: texts('What its pod needs and that node lacks.', ['4608 MB of memory']).optional(),
  since: timeText('When it began to wait.').optional(),
  workers: objects('For each worker, whether it could run it; ids are random per process.', {
    id: text('Id of the worker.', 'node-7-1'),
    canRun: flag('Whether this worker could run it.'),
    reason: text('Why this worker cannot run it.', 'It has no label gpu.').optional(),
  }),
});
export type Why = z.infer<typeof Why>;

/** Explains to a caller why a transfer has not been started. Throws `notFound` unless the caller sees it. */
export async function explainWaitingTo(db: Reads, caller: Caller, id: string): Promise<Why> {
  if (!(await findTransfer(db, caller, id))) throw notFound('Transfer', id);
  return explainWaiting(db, id, (ids) => listSeen(db, caller, ids));
}

/**
 * Explains why a transfer has not been started, from the present state of the workers rather than the last sweep. For a
 * transfer that does not wait, only its status and error.
 * @param seen filters the transfers that the answer may name
 */
export async function explainWaiting(
  db: Reads,
  id: string,
  seen: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<Why> {
  const { status, flags, errorMessage, position, since, ...found } = await getQueueStatus(db, id);
  if (status !== 'Pending')
    return { status, ...(errorMessage === undefined ? {} : { reason: errorMessage }), workers: [] };
  const [workers, views, pause] = await Promise.all([listLiveWorkers(db), listClusterViews(db), findPause(db)]);
  // the pod itself takes the room that it was given
  const placement = found.podNode === undefined ? findPlacement(workers, views, flags, pause) : {};
  const { verdict, node, lacks = [] } = placement;
  const reason = found.podReason ?? placement.reason ?? found.unscheduled ?? found.backOff;
  const needs = requestedFlags(flags);
  const busy = workers.filter((worker) => couldRun(worker, flags) && temporaryReason(worker, flags) !== undefined);
  const idle = workers.some((worker) => couldRun(worker, flags) && temporaryReason(worker, flags) === undefined);
  const blocking = idle ? [] : busy.flatMap(({ running }) => running.map((transfer) => transfer.id));
  const blockedBy = blocking.length === 0 ? [] : await seen(blocking);
  return {
    status,
    ...(needs.length === 0 ? {} : { needs }),
    ...(position === undefined ? {} : { position }),
    ...(reason === undefined ? {} : { reason }),
    ...(blockedBy.length === 0 ? {} : { blockedBy: [...blockedBy] }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(node === undefined ? {} : { node }),
    ...(lacks.length === 0 ? {} : { lacks: [...lacks] }),
    since,
    workers: workers.map((worker) => workerStatus(worker, flags)),
  };
}

/**
 * Why nothing that takes transfers now could ever run one with these flags: no worker, and no node of a cluster whose
 * nodes are known. Undefined: one could, or nothing takes transfers.
 */
export async function findUnsatisfiableReason(db: Reads, flags: readonly string[]): Promise<string | undefined> {
  const [workers, views] = await Promise.all([listLiveWorkers(db), listClusterViews(db)]);
  const takers = workers.filter(({ draining }) => !draining);
  if (takers.some((worker) => couldRun(worker, flags))) return undefined;
  const { reason, verdict } = findPlacement(takers, views, flags);
  const isLasting = views.length === 0 ? takers.length > 0 : verdict === 'never';
  return isLasting ? reason : undefined;
}

function workerStatus(worker: LiveWorker, flags: readonly string[]): Why['workers'][number] {
  const permanent = permanentReason(worker, flags);
  const reason = permanent ?? temporaryReason(worker, flags);
  return { id: worker.pool, canRun: permanent === undefined, ...(reason === undefined ? {} : { reason }) };
}
