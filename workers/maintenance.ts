import { setTimeout as sleep } from 'node:timers/promises';
import { listWorkers } from '../src/transfers/queue/sweep.queries.ts';
import { sweep } from '../src/transfers/queue/sweep.ts';
import { checkRuns } from '../src/transfers/run/check-runs.ts';
import type { Executor } from '../src/transfers/run/executor.ts';
import { removeOrphanedScratch } from './scratch.ts';

const EVERY_MS = 1000;
/** Every fifth round also takes the `seldom` steps. */
const THOROUGH_EVERY = 5;

type Log = Record<'info' | 'warn', (details: object, message: string) => void>;

/** A step of the maintenance loop. */
export interface Step {
  /** Name for the log. */
  part: string;
  /** Runs only in every fifth round. */
  seldom?: boolean;
  work(thorough: boolean): Promise<unknown>;
}

/** Starts the maintenance loop: takes these steps in order, once a second, beginning now. */
export function maintain(log: Log, steps: readonly Step[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const failing = new Set<string>();
  /** Logs a failure once until the step succeeds again. The other steps run nevertheless. */
  const take = async ({ part, work }: Step, thorough: boolean) => {
    try {
      await work(thorough);
      if (failing.delete(part)) log.info({ part }, 'maintenance works again');
    } catch (error) {
      if (!failing.has(part)) log.warn({ part, err: error }, 'maintenance failed; it is repeated every second');
      failing.add(part);
    }
  };
  const loop = async () => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      const thorough = round % THOROUGH_EVERY === 0;
      for (const step of steps) if (!stopping.signal.aborted && (thorough || !step.seldom)) await take(step, thorough);
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

export interface TransferMaintenance {
  executor: Executor;
  /** Milliseconds; see the setting `transfers.patience`. */
  patience: number;
  data: string;
  log: Log;
}

/** Steps for every process that performs transfers: checks its own runs, and takes over transfers of dead workers. */
export function transferSteps({
  executor,
  patience,
  data,
  log,
}: TransferMaintenance): Record<'runs' | 'transfers', Step> {
  const { db, announce } = executor;
  async function sweepTransfers(thorough: boolean) {
    const swept = await sweep(db, { thorough, patience });
    const { ended = [], failures = [], deadWorkers = [] } = swept ?? {};
    for (const id of ended) announce(id);
    for (const { id, error } of failures)
      log.warn({ transferId: id, err: error }, 'a transfer could not be ended; the next sweep tries again');
    if (swept && (deadWorkers.length > 0 || swept.stuckWorkers.length > 0 || swept.requeued > 0))
      log.warn({ ...swept, failures: failures.length }, 'took over transfers of other workers');
    if (thorough || deadWorkers.length > 0) await removeOrphanedScratch(data, () => listWorkers(db));
  }
  return {
    runs: { part: 'runs', work: () => checkRuns(executor) },
    transfers: { part: 'transfers', work: sweepTransfers },
  };
}
