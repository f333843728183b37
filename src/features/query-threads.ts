import { availableParallelism } from 'node:os';
import { TaskThread } from 'hydrofiles/threads';
import { AppError } from '../errors.ts';
import type { Job, Results } from './query-thread.ts';

/** Maximum length of the queue of a thread. A job takes a few milliseconds. */
const MAX_WAITING = 200;

/** Runs a job in one of the threads; the jobs of a query run in the same one. */
export type RunJob = <Kind extends Job['kind']>(job: Extract<Job, { kind: Kind }>) => Promise<Results[Kind]>;

/**
 * Threads that test, transform and write features, so that the event loop stays free. They start with the first
 * queries, stay warm, and do not keep the process alive.
 */
export class QueryThreads {
  readonly #threads = Array.from(
    { length: availableParallelism() >= 4 ? 2 : 1 },
    () =>
      new TaskThread<Job, Results[Job['kind']]>(new URL('./query-thread.ts', import.meta.url), { errors: [AppError] }),
  );

  /** The thread with the fewest waiting jobs. */
  thread(): RunJob {
    const least = this.#threads.reduce((best, one) => (one.pending < best.pending ? one : best));
    return async (job: Job) => {
      if (least.pending >= MAX_WAITING)
        throw new AppError(
          'unavailable',
          `${MAX_WAITING} parts of queries are waiting, the maximum. Try again in 2 s.`,
          {
            retryAfter: 2,
          },
        );
      if (job.kind !== 'render') return least.run(job) as never;
      // the thread gets its own memory: the block is a part of a larger one
      const bytes = new Uint8Array(job.bytes);
      return least.run({ ...job, bytes }, { transfer: [bytes.buffer] }) as never;
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((one) => one.end()));
  }
}
