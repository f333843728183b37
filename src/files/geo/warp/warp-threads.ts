import { markOwned } from '../../data/buffer-pool.ts';
import type { Samples } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { TaskThread } from '../../threads/task-thread.ts';
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
  const script = new URL('./warp-thread.ts', import.meta.url);
  // Rows and results are array buffers outside the heap, so a small heap is enough.
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const pool = Array.from({ length: count }, () => new TaskThread<WarpTask, ArrayBuffer>(script, { resourceLimits }));
  for (const thread of pool) thread.start();
  let next = 0;
  return {
    maxPending: 2 * count,
    run(task) {
      const samples = pool[next++ % count]!.run(task, { transfer: [task.out] }).then((out) => {
        const own = new sampleArrays[task.type](out, 0, task.rows * task.width);
        markOwned(own);
        return own;
      });
      // The caller awaits results in order and may leave after an earlier error: do not report this one as unhandled.
      samples.catch(() => {});
      return samples;
    },
    async close() {
      await Promise.all(pool.map((thread) => thread.end()));
    },
  };
}
