import { TaskThread } from '../../../threads/task-thread.ts';
import type { TileNumber } from '../vector-tile.ts';
import { type AddTile, type PyramidContent, PyramidDrawer, type PyramidJob } from './pyramid-drawer.ts';
import type { PyramidTask, TileBatch } from './pyramid-thread.ts';

const mostThreads = 4;
/** Bytes of tiles that wait for the tiles of earlier jobs. Above it, their threads wait too. */
const mostWaiting = 32 << 20;

type PyramidThread = TaskThread<PyramidTask, TileBatch | undefined, TileBatch, void>;

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
    const script = new URL('./pyramid-thread.ts', import.meta.url);
    this.#threads = Array.from({ length: count }, () => new TaskThread(script));
    for (const thread of this.#threads) thread.start();
    onEnd(() => this.#close());
  }

  /** Draws all tiles of the jobs, in the order of the jobs. */
  async draw(content: PyramidContent, drawn: DrawnWith): Promise<void> {
    if (this.#threads.length > 0) {
      await this.#drawOnThreads(content, drawn);
      return this.#close();
    }
    const { jobs, add, done } = drawn;
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

  async #drawOnThreads(content: PyramidContent, { jobs, add, done }: DrawnWith): Promise<void> {
    let earlier: Promise<void> = Promise.resolve();
    let waiting = 0;
    const addAll = async (batch: TileBatch) => {
      for (const [tile, bytes] of tilesOf(batch)) await add(tile, bytes);
      waiting -= batch.bytes.length;
    };
    const drawJobs = async (thread: PyramidThread) => {
      await thread.run({ content });
      for (let job = jobs.next(); !job.done; job = jobs.next()) {
        let added = earlier;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        earlier = promise;
        // The next job, or the end, waits for it and reports its failure.
        promise.catch(() => {});
        const take = async (batch: TileBatch) => {
          waiting += batch.bytes.length;
          added = added.then(() => addAll(batch));
          added.catch(() => {});
          if (waiting > mostWaiting) await added;
        };
        const last = await thread.run({ job: job.value }, { reply: take }).catch(async (error: unknown) => {
          // The thread has a copy of an error of `take`; this one is the original.
          await added;
          throw error;
        });
        await take(last!);
        added.then(resolve, reject);
        done();
      }
    };
    await Promise.all(this.#threads.map(drawJobs));
    await earlier;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

function* tilesOf({ tiles, sizes, bytes }: TileBatch): Generator<[TileNumber, Uint8Array]> {
  for (let n = 0, at = 0; n < tiles.length; at += sizes[n++]!) yield [tiles[n]!, bytes.subarray(at, at + sizes[n]!)];
}
