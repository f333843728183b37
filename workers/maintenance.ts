import { setTimeout as sleep } from 'node:timers/promises';
import { listWorkers } from '../src/transfers/queue/sweep.queries.ts';
import { sweep } from '../src/transfers/queue/sweep.ts';
import { checkRuns } from '../src/transfers/run/check-runs.ts';
import type { Executor } from '../src/transfers/run/executor.ts';
import { removeForsakenScratch } from './scratch.ts';

const EVERY_MS = 1000;
/** Rounds between those that also do what is seldom needed. */
const THOROUGH_EVERY = 5;

type Log = Record<'info' | 'warn', (details: object, message: string) => void>;

/** A part of the maintenance of every round, or of every fifth. */
export interface Step {
  part: string;
  seldom?: boolean;
  work(thorough: boolean): Promise<unknown>;
}

/** The maintenance loop: takes these steps in order, once a second, the first time at once. */
export function maintain(log: Log, steps: readonly Step[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const failing = new Set<string>();
  /** A failure is logged once, until the step succeeds again, and keeps no other step from being taken. */
  const take = async ({ part, work }: Step, thorough: boolean) => {
    try {
      await work(thorough);
      if (failing.delete(part)) log.info({ part }, 'sweeping again');
    } catch (error) {
      if (!failing.has(part)) log.warn({ part, err: error }, 'sweeping is not possible now');
      failing.add(part);
    }
  };
  const loop = async () => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      const thorough = round % THOROUGH_EVERY === 0;
      for (const step of steps) if (thorough || !step.seldom) await take(step, thorough);
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

/** What every process that performs transfers maintains: its own runs, and what dead workers left. */
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
    if (swept && (deadWorkers.length > 0 || swept.stuckWorkers.length > 0 || swept.forgotten > 0))
      log.warn({ ...swept, failures: failures.length }, 'took over what other workers left');
    if (thorough || deadWorkers.length > 0) await removeForsakenScratch(data, () => listWorkers(db));
  }
  return {
    runs: { part: 'runs', work: () => checkRuns(executor) },
    transfers: { part: 'transfers', work: sweepTransfers },
  };
}
