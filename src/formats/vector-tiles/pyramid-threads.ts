import { Worker } from 'node:worker_threads';
import type { AddTile, PyramidContent, PyramidJob } from './pyramid-drawer.ts';
import { PyramidDrawer } from './pyramid-drawer.ts';
import type { PyramidMessage, TileBatch } from './pyramid-thread.ts';

const mostThreads = 4;

interface DrawnWith {
  readonly jobs: Iterator<PyramidJob>;
  readonly add: AddTile;
  /** Called after each job. */
  done(): void;
}

/** Draws the tiles of jobs, on threads where there are several. These start at once, while the features are read. */
export class PyramidThreads {
  readonly #threads: readonly PyramidThread[];

  constructor({ threads, onEnd }: { threads: number; onEnd(close: () => Promise<void>): void }) {
    const count = threads <= 1 ? 0 : Math.min(threads, mostThreads);
    this.#threads = Array.from({ length: count }, () => new PyramidThread());
    onEnd(() => this.#close());
  }

  /** Draws all tiles of the jobs. With several threads the order of the tiles differs from run to run. */
  async draw(content: PyramidContent, { jobs, add, done }: DrawnWith): Promise<void> {
    if (this.#threads.length > 0) {
      await Promise.all(
        this.#threads.map(async (thread) => {
          thread.begin(content);
          for (let job = jobs.next(); !job.done; job = jobs.next()) {
            await thread.draw(job.value, add);
            done();
          }
        }),
      );
      return this.#close();
    }
    const drawer = await PyramidDrawer.create(content);
    try {
      for (let job = jobs.next(); !job.done; job = jobs.next()) {
        await drawer.draw(job.value, add);
        done();
      }
    } finally {
      drawer.close();
    }
  }

  async #close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

class PyramidThread {
  readonly #worker = new Worker(new URL('./pyramid-thread.ts', import.meta.url));
  #batch: PromiseWithResolvers<TileBatch> | undefined;
  #failure: Error | undefined;

  constructor() {
    this.#worker.on('message', (batch: TileBatch) => this.#batch?.resolve(batch));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('A thread that draws tiles ended.')));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#batch?.reject(this.#failure);
  }

  begin(content: PyramidContent): void {
    this.#post({ content });
  }

  async draw(job: PyramidJob, add: AddTile): Promise<void> {
    for (let message: PyramidMessage = { job }; ; message = 'taken') {
      if (this.#failure !== undefined) throw this.#failure;
      this.#batch = Promise.withResolvers();
      this.#post(message);
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

  #post(message: PyramidMessage): void {
    this.#worker.postMessage(message);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
