import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { FormatError } from '../files/errors.ts';
import type { Answer, Job, Results } from './query-thread.ts';

/** Maximum length of the queue of a thread. A job takes a few milliseconds. */
const MAX_WAITING = 200;

interface Waiting {
  job: Job;
  resolve(result: never): void;
  reject(error: Error): void;
}

/** Runs a job in one of the threads; the jobs of a query run in the same one. */
export type RunJob = <Kind extends Job['kind']>(job: Extract<Job, { kind: Kind }>) => Promise<Results[Kind]>;

/**
 * Threads that test, transform and write features, so that the event loop stays free. They start with the first
 * queries, stay warm, and do not keep the process alive.
 */
export class QueryThreads {
  readonly #threads = Array.from({ length: availableParallelism() >= 4 ? 2 : 1 }, () => new QueryThread());

  /** The thread with the shortest queue. */
  thread(): RunJob {
    const [first, ...others] = this.#threads;
    const least = others.reduce((best, one) => (one.waiting < best.waiting ? one : best), first!);
    return (job) => least.run(job) as never;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((one) => one.close()));
  }
}

class QueryThread {
  #worker: Worker | undefined;
  #queue: Waiting[] = [];

  get waiting(): number {
    return this.#queue.length;
  }

  run(job: Job): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length >= MAX_WAITING)
        return reject(
          new AppError('unavailable', `${MAX_WAITING} parts of queries are waiting, the maximum. Try again in 2 s.`, {
            retryAfter: 2,
          }),
        );
      this.#queue.push({ job, resolve, reject });
      if (this.#queue.length === 1) this.#next();
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #next(): void {
    const [first] = this.#queue;
    if (first === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    const { job } = first;
    if (job.kind !== 'render') {
      worker.postMessage(job);
      return;
    }
    // the thread gets its own memory: the block is a part of a larger one
    const bytes = new Uint8Array(job.bytes);
    worker.postMessage({ ...job, bytes }, [bytes.buffer]);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./query-thread.ts', import.meta.url));
    const fail = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const one of this.#queue.splice(0)) one.reject(error);
    };
    worker.on('message', (answer: Answer) => {
      const first = this.#queue.shift();
      if ('result' in answer) first?.resolve(answer.result as never);
      else first?.reject(errorOf(answer));
      this.#next();
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('A query thread has exited.')));
    return worker;
  }
}

function errorOf({ message, kind, details, stack }: Exclude<Answer, { result: unknown }>): Error {
  if (kind !== undefined) return new AppError(kind, message, details);
  if (stack === undefined) return new FormatError(message);
  const error = new Error(message);
  error.stack = stack;
  return error;
}
