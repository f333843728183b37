import { EventEmitter, once } from 'node:events';
import {
  Logger,
  type Runner,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import type pg from 'pg';
import { openPool, withOptions } from '../src/platform/sql/pool.ts';
import { storableError } from '../src/platform/text/storable.ts';
import { Admission, type AdmissionOptions, SHORT_JOB_SLOTS } from './admission.ts';

export interface QueueOptions extends Omit<AdmissionOptions, 'nudge'> {
  databaseUrl: string;
  tasks(admission: Admission): TaskList;
  crontab: string;
  log: Record<'debug' | 'warn' | 'error', (details: object, message: string) => void>;
  /**
   * Called with the pool's name; no job is taken before it resolves. It gives the first snapshot of the queue to
   * `admission`.
   */
  beforeFirstJob(pool: string, admission: Admission): Promise<void>;
}

/**
 * Locking and deleting a queue row does not wait for the disk: the later commit of the claim or of the end of the
 * transfer flushes it, too. If the database crashes before, the row is unlocked again, and running it twice is safe.
 */
const UNFLUSHED = '-c synchronous_commit=off';

/**
 * Event that graphile-worker emits before the first poll of a slot. The flags in it are older than the first snapshot
 * of the queue.
 */
interface FirstPoll {
  worker: { workerPool: WorkerPool };
  flagsToSkip: string[] | null;
}

/**
 * Takes jobs until it is stopped. Ends of jobs are reported without delay (no batches), or a job that ends during the
 * shutdown would stay locked for hours. No local queue: jobs that wait behind a long conversion here could run
 * elsewhere.
 */
export class Queue {
  readonly #runner: Runner;
  readonly #pgPool: pg.Pool;
  readonly admission: Admission;
  /** Ids of running jobs. */
  readonly jobIds: ReadonlySet<string>;
  /**
   * Settles when no more jobs are taken: the queue was asked to stop, or could not report that a job is done. Running
   * jobs may continue for any time.
   */
  readonly ended: Promise<void>;

  private constructor(
    runner: Runner,
    pgPool: pg.Pool,
    state: { admission: Admission; jobIds: ReadonlySet<string>; stopping: Promise<unknown> },
  ) {
    this.#runner = runner;
    this.#pgPool = pgPool;
    this.admission = state.admission;
    this.jobIds = state.jobIds;
    this.ended = Promise.race([runner.promise, state.stopping.then(() => {})]);
  }

  static async open(options: QueueOptions): Promise<Queue> {
    const { databaseUrl, tasks, crontab, log, beforeFirstJob, allocator, shortJobsWait } = options;
    const slots = allocator.capacity.concurrency + SHORT_JOB_SLOTS;
    let begun: Promise<void> | undefined;
    let pool: WorkerPool | undefined;
    const admission = new Admission({ allocator, shortJobsWait, nudge: (count) => pool?.nudge(count) });
    const forbiddenFlags = () => admission.forbiddenFlags();
    async function startWorker(_context: unknown, first: FirstPoll) {
      pool = first.worker.workerPool;
      begun ??= beforeFirstJob(pool.id, admission);
      await begun;
      first.flagsToSkip = await forbiddenFlags();
    }
    const events: WorkerEvents = new EventEmitter();
    const stopping = once(events, 'pool:gracefulShutdown');
    reportPolls(events, admission);
    const jobIds = runningJobs(events);
    // graphile-worker would not wait until a pool of its own is closed, and stop listening to its errors before
    const pgPool = openPool(
      { connectionString: withOptions(databaseUrl, 'platform work: queue', UNFLUSHED), max: slots + 2 },
      (error) => log.error({ err: error }, 'an idle connection of the queue broke'),
    );
    const running = run({
      pgPool,
      taskList: withStorableErrors(tasks(admission)),
      crontab,
      noHandleSignals: true,
      events,
      forbiddenFlags,
      logger: adaptLogger(log),
      preset: {
        worker: {
          concurrentJobs: slots,
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          gracefulShutdownAbortTimeout: 0,
        },
        plugins: [{ name: 'liveness-first', version: '1.0.0', worker: { hooks: { startWorker } } }],
      },
    });
    const runner = await running.catch(async (error) => {
      await pgPool.end();
      throw error;
    });
    return new Queue(runner, pgPool, { admission, jobIds, stopping });
  }

  /** Takes no more jobs; resolves when the running ones have ended. */
  stop(): Promise<void> {
    const stopped = this.#runner.stop();
    this.admission.close();
    return stopped.finally(() => this.#pgPool.end());
  }
}

const adaptLogger = (log: QueueOptions['log']) =>
  new Logger((scope) => (level, message, details) => {
    const to = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
    log[to]({ ...scope, ...(details?.error instanceof Error ? { err: details.error } : {}) }, message);
  });

/**
 * The queue stores the error message of a failed job. A message that Postgres cannot store would leave the job locked
 * for hours.
 */
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

/** Wraps tasks that are short and need no resources. */
export const shortJobs = (admission: Admission, tasks: Record<string, Task<never>>): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload, helpers) => {
        const done = admission.startShortJob();
        try {
          await task(payload as never, helpers);
        } finally {
          done();
        }
      },
    ]),
  );

/** Reports each poll for a job to the admission control. */
function reportPolls(events: WorkerEvents, admission: Admission) {
  const since = new WeakMap<object, number>();
  const polled = (worker: object, found: boolean) =>
    admission.polled(performance.now() - (since.get(worker) ?? performance.now()), found);
  events.on('worker:getJob:start', ({ worker }) => void since.set(worker, performance.now()));
  events.on('worker:getJob:empty', ({ worker }) => polled(worker, false));
  events.on('worker:getJob:error', ({ worker }) => polled(worker, false));
  events.on('job:start', ({ worker }) => polled(worker, true));
}

function runningJobs(events: WorkerEvents): ReadonlySet<string> {
  const ids = new Set<string>();
  events.on('job:start', ({ job }) => void ids.add(job.id));
  events.on('job:complete', ({ job }) => void ids.delete(job.id));
  return ids;
}
