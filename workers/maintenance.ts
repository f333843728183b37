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

/** The maintenance loop: takes its steps in order, once a second, beginning at once. */
export class Maintenance {
  readonly #log: Log;
  readonly #steps: readonly Step[];
  readonly #stopping = new AbortController();
  readonly #failing = new Set<string>();
  readonly #running: Promise<void>;

  constructor(log: Log, steps: readonly Step[]) {
    this.#log = log;
    this.#steps = steps;
    this.#running = this.#loop();
  }

  /** Resolves when the step under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #loop() {
    const { signal } = this.#stopping;
    for (let round = 0; !signal.aborted; round++) {
      const thorough = round % THOROUGH_EVERY === 0;
      for (const step of this.#steps)
        if (!signal.aborted && (thorough || !step.seldom)) await this.#take(step, thorough);
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Logs a failure once until the step succeeds again. The other steps run nevertheless. */
  async #take({ part, work }: Step, thorough: boolean) {
    try {
      await work(thorough);
      if (this.#failing.delete(part)) this.#log.info({ part }, 'maintenance works again');
    } catch (error) {
      if (!this.#failing.has(part))
        this.#log.warn({ part, err: error }, 'maintenance failed; it is repeated every second');
      this.#failing.add(part);
    }
  }
}

/**
 * Steps for every process that performs transfers: checks its own runs, and takes over transfers of dead workers.
 * @param patience milliseconds; see the setting `transfers.patience`
 */
export function transferSteps(executor: Executor, { patience, data }: { patience: number; data: string }): Step[] {
  const { db, announce, log } = executor;
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
  return [
    { part: 'runs', work: () => checkRuns(executor) },
    { part: 'transfers', work: sweepTransfers },
  ];
}
