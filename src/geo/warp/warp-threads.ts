import { Worker } from 'node:worker_threads';
import type { Samples } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import { ownWhole } from '../../data/spare-memory.ts';
import type { WarpTask } from './warp-task.ts';
import { runWarpTask } from './warp-task.ts';

/** Who computes cells. */
export interface Crew {
  /** Tasks that are worth having under way at a time. */
  readonly ahead: number;
  /** The task's memory belongs to the crew until the result is there. */
  run(task: WarpTask): Promise<Samples>;
  /** Ends the threads, whatever they do. */
  close(): Promise<void>;
}

/** This thread alone. */
export const alone: Crew = { ahead: 1, run: async (task) => runWarpTask(task), async close() {} };

/** Threads of their own, each with one task before it and one that waits. What they compute does not depend on their number. */
export function startCrew(count: number): Crew {
  const members = Array.from({ length: count }, () => new Member());
  let next = 0;
  return {
    ahead: 2 * count,
    run: (task) => members[next++ % count]!.run(task),
    async close() {
      await Promise.all(members.map((member) => member.close()));
    },
  };
}

interface Waiting {
  task: WarpTask;
  resolve(samples: Samples): void;
  reject(error: unknown): void;
}

class Member {
  // All that is large lies beside the heap.
  readonly #thread = new Worker(new URL('./warp-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  readonly #waiting: Waiting[] = [];
  #failure: { error: unknown } | undefined;

  constructor() {
    this.#thread.on('message', (out: ArrayBuffer) => {
      const { task, resolve } = this.#waiting.shift()!;
      const samples = new sampleArrays[task.type](out, 0, task.rows * task.width);
      ownWhole(samples);
      resolve(samples);
    });
    this.#thread.on('error', (error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error('A thread of the conversion ended.')));
  }

  run(task: WarpTask): Promise<Samples> {
    const { promise, resolve, reject } = Promise.withResolvers<Samples>();
    // Whoever waits for an earlier task hears of an error first.
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
