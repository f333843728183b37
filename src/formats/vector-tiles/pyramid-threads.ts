import { Worker } from 'node:worker_threads';
import type { AddTile, PyramidContent, PyramidJob } from './pyramid-drawer.ts';
import { PyramidDrawer } from './pyramid-drawer.ts';
import type { TileBatch } from './pyramid-thread.ts';

const mostThreads = 4;

/**
 * Draws all tiles of the jobs, on threads where there are several. The order of the tiles differs from run to run.
 * @param done called after each job
 */
export async function drawPyramid(
  content: PyramidContent,
  { jobs, threads, onEnd }: { jobs: Iterator<PyramidJob>; threads: number; onEnd(close: () => Promise<void>): void },
  { add, done }: { add: AddTile; done(): void },
): Promise<void> {
  if (threads <= 1) {
    const drawer = await PyramidDrawer.create(content);
    try {
      for (let job = jobs.next(); !job.done; job = jobs.next()) {
        await drawer.draw(job.value, add);
        done();
      }
    } finally {
      drawer.close();
    }
    return;
  }
  const started = Array.from({ length: Math.min(threads, mostThreads) }, () => new PyramidThread(content));
  const close = async () => {
    await Promise.all(started.map((thread) => thread.close()));
  };
  onEnd(close);
  await Promise.all(
    started.map(async (thread) => {
      for (let job = jobs.next(); !job.done; job = jobs.next()) {
        await thread.draw(job.value, add);
        done();
      }
    }),
  );
  await close();
}

class PyramidThread {
  readonly #worker: Worker;
  #batch: PromiseWithResolvers<TileBatch> | undefined;
  #failure: Error | undefined;

  constructor(content: PyramidContent) {
    this.#worker = new Worker(new URL('./pyramid-thread.ts', import.meta.url), { workerData: content });
    this.#worker.on('message', (batch: TileBatch) => this.#batch?.resolve(batch));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('A thread that draws tiles ended.')));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#batch?.reject(this.#failure);
  }

  async draw(job: PyramidJob, add: AddTile): Promise<void> {
    for (let message: PyramidJob | 'taken' = job; ; message = 'taken') {
      if (this.#failure !== undefined) throw this.#failure;
      this.#batch = Promise.withResolvers();
      this.#worker.postMessage(message);
      const { tiles, sizes, bytes, isLast } = await this.#batch.promise;
      this.#batch = undefined;
      let at = 0;
      for (const [n, tile] of tiles.entries()) {
        await add(tile, bytes.subarray(at, at + sizes[n]!));
        at += sizes[n]!;
      }
      if (isLast) return;
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
