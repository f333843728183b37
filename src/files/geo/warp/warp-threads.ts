import { Worker } from 'node:worker_threads';
import { markOwned } from '../../data/buffer-pool.ts';
import type { Samples } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { runWarpTask, type WarpTask } from './warp-task.ts';

/** Runs tasks on worker threads, or on the current thread. */
export interface WarpThreads {
  /** Number of pending tasks that keeps all threads busy. */
  readonly maxPending: number;
  /** Takes over the memory of the task (`out`) until the promise resolves. */
  run(task: WarpTask): Promise<Samples>;
  /** Terminates the threads; pending tasks fail. */
  close(): Promise<void>;
}

/** Runs each task at once, on the current thread. */
export const currentThread: WarpThreads = { maxPending: 1, run: async (task) => runWarpTask(task), async close() {} };

/**
 * Starts `count` worker threads. Tasks go to them in turn; each runs one task and has one waiting. The number of
 * threads does not change results.
 */
export function startWarpThreads(count: number): WarpThreads {
  const pool = Array.from({ length: count }, () => new WarpThread());
  let next = 0;
  return {
    maxPending: 2 * count,
    run: (task) => pool[next++ % count]!.run(task),
    async close() {
      await Promise.all(pool.map((thread) => thread.close()));
    },
  };
}

interface WaitingTask {
  task: WarpTask;
  resolve(samples: Samples): void;
  reject(error: unknown): void;
}

class WarpThread {
  // Rows and results are array buffers outside the heap, so a small heap is enough.
  readonly #thread = new Worker(new URL('./warp-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  readonly #waiting: WaitingTask[] = [];
  #failure: { error: unknown } | undefined;

  constructor() {
    this.#thread.on('message', (out: ArrayBuffer) => {
      const { task, resolve } = this.#waiting.shift()!;
      const samples = new sampleArrays[task.type](out, 0, task.rows * task.width);
      markOwned(samples);
      resolve(samples);
    });
    this.#thread.on('error', (error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error('A warp thread ended.')));
  }

  run(task: WarpTask): Promise<Samples> {
    const { promise, resolve, reject } = Promise.withResolvers<Samples>();
    // The caller awaits results in order and may leave after an earlier error: do not report this one as unhandled.
    promise.catch(() => {});
    if (this.#failure !== undefined) reject(this.#failure.error);
    else {
      this.#waiting.push({ task, resolve, reject });
      this.#thread.postMessage(task, [task.out]);
    }
    return promise;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure.error);
  }
}
