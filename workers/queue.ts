import type { Runner, TaskList } from 'graphile-worker';
import { Logger, run } from 'graphile-worker';

export interface QueueOptions {
  databaseUrl: string;
  concurrency: number;
  tasks: TaskList;
  crontab: string;
  log: Record<'debug' | 'warn' | 'error', (details: object, message: string) => void>;
  /** Called with the pool's name; no job is taken before it resolves. */
  beforeFirstJob(pool: string): Promise<void>;
}

/**
 * Takes jobs until it is stopped. Completed and failed jobs are told in batches, or a job that runs at the end would stay locked for
 * hours. Without a local queue: jobs that wait behind a long conversion here could run elsewhere.
 */
export async function takeJobs(options: QueueOptions): Promise<Runner> {
  const { databaseUrl, concurrency, tasks, crontab, log, beforeFirstJob } = options;
  let begun: Promise<void> | undefined;
  return run({
    taskList: tasks,
    crontab,
    noHandleSignals: true,
    logger: new Logger((scope) => (level, message, details) => {
      const to = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
      log[to]({ ...scope, ...(details?.error instanceof Error ? { err: details.error } : {}) }, message);
    }),
    preset: {
      worker: {
        connectionString: databaseUrl,
        concurrentJobs: concurrency,
        maxPoolSize: concurrency + 2,
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
              startWorker(_context: unknown, { worker }: { worker: { workerPool: { id: string } } }) {
                begun ??= beforeFirstJob(worker.workerPool.id);
                return begun;
              },
            },
          },
        },
      ],
    },
  });
}
