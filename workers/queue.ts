import { EventEmitter, once } from 'node:events';
import type { Runner, Task, TaskList, WorkerEvents, WorkerPool } from 'graphile-worker';
import { Logger, run } from 'graphile-worker';
import { withOptions } from '../src/db.ts';
import { storableError } from '../src/platform/text/storable.ts';
import type { Gate, GateOptions } from './admission.ts';
import { CHORES, openGate } from './admission.ts';

export interface QueueOptions extends Omit<GateOptions, 'nudge'> {
  databaseUrl: string;
  tasks(gate: Gate): TaskList;
  crontab: string;
  log: Record<'debug' | 'warn' | 'error', (details: object, message: string) => void>;
  /** Called with the pool's name; no job is taken before it resolves. It lets the gate learn of the queue. */
  beforeFirstJob(pool: string, gate: Gate): Promise<void>;
}

export interface Queue {
  gate: Gate;
  /** Ids of the rows that are run at this moment. */
  jobIds: ReadonlySet<string>;
  /**
   * Settles when jobs are taken no more: the queue was asked to stop, or could not tell that a job is done. Those under way may still run, for
   * as long as they like.
   */
  ended: Promise<void>;
  /** Takes no more jobs; resolves when those under way have ended. */
  stop(): Promise<void>;
}

/**
 * Taking a row of the queue and removing it does not wait for the disk: it is there at the latest with the claim or the end of the transfer,
 * whose commits come behind it in the same log. If the database crashes before, the row is anybody's again, and running it twice is safe.
 */
const UNFLUSHED = '-c synchronous_commit=off';

/** The event of graphile-worker before a slot looks for the first time; the flags were asked for when nothing was known yet. */
interface FirstLook {
  worker: { workerPool: WorkerPool };
  flagsToSkip: string[] | null;
}

/**
 * Takes jobs until it is stopped. Completed and failed jobs are told in batches, or a job that runs at the end would stay locked for
 * hours. Without a local queue: jobs that wait behind a long conversion here could run elsewhere.
 */
export async function takeJobs(options: QueueOptions): Promise<Queue> {
  const { databaseUrl, tasks, crontab, log, beforeFirstJob, capacity, choresWait } = options;
  const slots = capacity.has.concurrency + CHORES;
  let begun: Promise<void> | undefined;
  let pool: WorkerPool | undefined;
  const gate = openGate({ capacity, choresWait, nudge: (count) => pool?.nudge(count) });
  const events: WorkerEvents = new EventEmitter();
  const stopping = once(events, 'pool:gracefulShutdown');
  tellLooks(events, gate);
  const jobIds = jobsUnderWay(events);
  const runner: Runner = await run({
    taskList: withStorableErrors(tasks(gate)),
    crontab,
    noHandleSignals: true,
    events,
    forbiddenFlags: gate.forbidden,
    logger: new Logger((scope) => (level, message, details) => {
      const to = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
      log[to]({ ...scope, ...(details?.error instanceof Error ? { err: details.error } : {}) }, message);
    }),
    preset: {
      worker: {
        connectionString: withOptions(databaseUrl, 'platform work: queue', UNFLUSHED),
        concurrentJobs: slots,
        maxPoolSize: slots + 2,
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        gracefulShutdownAbortTimeout: 0,
      },
      plugins: [
        {
          name: 'liveness-first',
          version: '1.0.0',
          worker: {
            hooks: {
              async startWorker(_context: unknown, first: FirstLook) {
                pool = first.worker.workerPool;
                begun ??= beforeFirstJob(pool.id, gate);
                await begun;
                first.flagsToSkip = await gate.forbidden();
              },
            },
          },
        },
      ],
    },
  });
  return {
    gate,
    jobIds,
    ended: Promise.race([runner.promise, stopping.then(() => {})]),
    stop() {
      const stopped = runner.stop();
      gate.close();
      return stopped;
    },
  };
}

/** The queue keeps the message of a job that failed; one that it cannot store would leave the job locked for hours. */
const withStorableErrors = (tasks: TaskList): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload, helpers) => {
        try {
          await task?.(payload as never, helpers);
        } catch (error) {
          throw storableError(error);
        }
      },
    ]),
  );

/** Tasks that need nothing but a moment. */
export const chores = (gate: Gate, tasks: Record<string, Task<never>>): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload, helpers) => {
        const done = gate.chore();
        try {
          await task(payload as never, helpers);
        } finally {
          done();
        }
      },
    ]),
  );

/** Tells the gate of each look for a job. */
function tellLooks(events: WorkerEvents, gate: Gate) {
  const since = new WeakMap<object, number>();
  const looked = (worker: object, found: boolean) =>
    gate.looked(performance.now() - (since.get(worker) ?? performance.now()), found);
  events.on('worker:getJob:start', ({ worker }) => void since.set(worker, performance.now()));
  events.on('worker:getJob:empty', ({ worker }) => looked(worker, false));
  events.on('worker:getJob:error', ({ worker }) => looked(worker, false));
  events.on('job:start', ({ worker }) => looked(worker, true));
}

function jobsUnderWay(events: WorkerEvents): ReadonlySet<string> {
  const ids = new Set<string>();
  events.on('job:start', ({ job }) => void ids.add(job.id));
  events.on('job:complete', ({ job }) => void ids.delete(job.id));
  return ids;
}
