import { setTimeout as sleep } from 'node:timers/promises';
import { CANCELLED, PROJECT_DELETED } from '../ends/outcome.ts';
import { permanentReason } from '../queue/queue-status.ts';
import type { WorkerCapacity } from '../queue/requirements.ts';
import type { Executor } from './executor.ts';
import { perform } from './perform.ts';
import { findState, type State } from './perform-one.queries.ts';

/** Outcome of a transfer, and its reason. */
export interface OneResult {
  /**
   * `waiting`: for another worker; `taken`: another worker runs it; `unfit`: this process does not meet its
   * requirements.
   */
  outcome: 'completed' | 'failed' | 'cancelled' | 'waiting' | 'taken' | 'unfit' | 'unknown';
  message: string;
}

const LOOK_AGAIN_MS = 200;
/** Looks at a transfer whose worker is lost, before it counts as taken: a sweep hands it back within seconds. */
const MAX_LOOKS = 50;

/**
 * Performs one transfer if it waits and fits, and returns the outcome. Does nothing to one that is over or runs
 * elsewhere. The caller keeps up the maintenance loop meanwhile, which hands back transfers of lost workers.
 * @param stop asks to hand the transfer back
 * @param isDrained whether an operator lets this worker begin no transfer
 */
export async function performOne(
  executor: Executor,
  capacity: WorkerCapacity,
  id: string,
  stop: AbortSignal,
  isDrained: () => Promise<boolean>,
): Promise<OneResult> {
  for (let looks = 1; ; looks++) {
    const state = await findState(executor.db, id);
    const lost = state?.status === 'InProgress' && !state.alive;
    if (lost && looks < MAX_LOOKS && !stop.aborted) {
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    if (state?.status !== 'Pending') return toOneResult(id, state);
    const refusal = findRefusal(executor, capacity, id, state) ?? (stop.aborted ? waiting(id) : undefined);
    if (refusal) return refusal;
    if (await isDrained())
      return { outcome: 'waiting', message: `Transfer '${id}' waits: an operator drained this host or all workers.` };
    const performed = await perform(executor, { id, flags: state.flags, unqueue: true });
    // not claimed: another worker was faster, or this one is given up
    if (performed !== 'notClaimed' || looks >= MAX_LOOKS) return toOneResult(id, await findState(executor.db, id));
  }
}

/** Why this process leaves a waiting transfer alone. Undefined: it may claim it. */
function findRefusal({ pool }: Executor, capacity: WorkerCapacity, id: string, state: State): OneResult | undefined {
  const unfit = permanentReason({ ...capacity, pool, running: [], draining: false }, state.flags);
  if (unfit !== undefined) return { outcome: 'unfit', message: `This worker cannot run transfer '${id}'. ${unfit}` };
  if (state.backOff !== undefined) return { outcome: 'waiting', message: `Transfer '${id}' waits. ${state.backOff}` };
  return undefined;
}

const waiting = (id: string): OneResult => ({
  outcome: 'waiting',
  message: `Transfer '${id}' waits for another worker.`,
});

function toOneResult(id: string, state: State | null): OneResult {
  if (state === null) return { outcome: 'unknown', message: `There is no transfer '${id}'.` };
  const { status, errorMessage = '', pool, host } = state;
  if (status === 'Completed') return { outcome: 'completed', message: `Transfer '${id}' is Completed.` };
  if (status === 'InProgress') {
    const where = host === undefined ? `'${pool}'` : `'${pool}' on ${host}`;
    return { outcome: 'taken', message: `Transfer '${id}' is run by worker ${where}.` };
  }
  if (status !== 'Error') return waiting(id);
  const cancelled = [CANCELLED, PROJECT_DELETED].some(({ sentence }) => sentence === errorMessage);
  return {
    outcome: cancelled ? 'cancelled' : 'failed',
    message: `Transfer '${id}' ended in Error: ${errorMessage}`,
  };
}
