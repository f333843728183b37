import { setTimeout as sleep } from 'node:timers/promises';
import { callWorkers } from '../src/jobs.ts';
import { addFigures } from '../src/operations/metrics/figures.ts';
import { followMassRetries } from '../src/operations/retries/mass-retry.ts';
import { getOutlook } from '../src/transfers/queue/outlook.queries.ts';
import { listWorkers, unlockUnheld } from '../src/transfers/queue/sweep.queries.ts';
import { sweep } from '../src/transfers/queue/sweep.ts';
import { mindRuns } from '../src/transfers/run/mind.ts';
import type { RunParts } from '../src/transfers/run/perform.ts';
import type { Draining } from './draining.ts';
import type { Gate } from './gate.ts';
import { removeForsakenScratch } from './scratch.ts';

const EVERY_MS = 1000;
const THOROUGH_EVERY = 5;
/** How long a row of the queue may be on its way to the process that locked it. */
const UNHELD_MS = 10_000;

export interface MindingParts {
  run: RunParts;
  gate: Gate;
  /** Rows of the queue that this process runs. */
  jobIds: ReadonlySet<string>;
  /** Milliseconds; see the setting `transfers.patience`. */
  patience: number;
  data: string;
  draining: Draining;
  /** What the tokens of accounts are good for. */
  scopes: readonly string[];
  log: Record<'info' | 'warn', (details: object, message: string) => void>;
}

/** Every second: looks after the runs of this process, what waits for it, what other workers left, and what operators ordered. Starts at once. */
export function minding(given: MindingParts): { stop(): Promise<void> } {
  const { run: parts, gate, jobIds, patience, data, draining, scopes, log } = given;
  const stopping = new AbortController();

  async function mend(thorough: boolean) {
    const swept = await sweep(parts.db, { thorough, patience });
    const { ended = [], failures = [], deadWorkers = [] } = swept ?? {};
    for (const id of ended) parts.announce(id);
    for (const { id, error } of failures)
      log.warn({ transferId: id, err: error }, 'a transfer could not be ended; the next sweep tries again');
    if (swept && (deadWorkers.length > 0 || swept.stuckWorkers.length > 0 || swept.forgotten > 0))
      log.warn({ ...swept, failures: failures.length }, 'took over what other workers left');
    if (thorough || deadWorkers.length > 0) await removeForsakenScratch(data, () => listWorkers(parts.db));
  }
  async function unlock() {
    if ((await unlockUnheld(parts.db, parts.pool, [...jobIds], UNHELD_MS)) === 0) return;
    log.warn({}, 'gave back jobs that this worker had locked and did not know of');
    await callWorkers(parts.db);
  }
  const learn = async () => gate.learn({ ...(await getOutlook(parts.db, parts.pool)), draining: draining.now });

  const failing = new Set<string>();
  /** One that fails keeps none behind it from being taken. Said once, until it goes again. */
  const step = async (part: string, work: () => Promise<unknown>) => {
    try {
      await work();
      if (failing.delete(part)) log.info({ part }, 'sweeping again');
    } catch (error) {
      if (!failing.has(part)) log.warn({ part, err: error }, 'sweeping is not possible now');
      failing.add(part);
    }
  };
  const loop = async () => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      const thorough = round % THOROUGH_EVERY === 0;
      await step('drains', () => draining.look());
      await step('runs', () => mindRuns(parts));
      await step('transfers', () => mend(thorough));
      await step('outlook', learn);
      if (thorough) await step('jobs', unlock);
      await step('retries', () => followMassRetries(parts.db, scopes));
      if (thorough) await step('figures', () => addFigures(parts.db));
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
