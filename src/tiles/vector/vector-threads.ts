import { Worker } from 'node:worker_threads';
import type { Crs } from '../../data/crs-reference.ts';
import { AppError } from '../../errors.ts';
import type { Header } from '../../formats/flatgeobuf/header-reader.ts';
import type { TileNumber } from '../../geo/tiles/vector-tile.ts';

/** A tile to be drawn, with the bytes of its features. Plain data, so that it can be posted to a thread. */
export interface VectorJob {
  readonly tile: TileNumber;
  readonly crs: Crs;
  readonly header: Pick<Header, 'columns' | 'geometryType' | 'hasZ' | 'hasM'>;
  readonly layer: string;
  /** Fields to be written, by their index in the values of a feature. */
  readonly fields: readonly { readonly index: number; readonly name: string; readonly real: boolean }[];
  /** The features are lines. */
  readonly lines: boolean;
  /** Pixels below which features have been gathered. */
  readonly side: number;
  /** Moved to the thread. */
  readonly features: PackedFeatures;
}

/** Numbers of a packed feature. */
export const NUMBERS = 6;

/** The bytes of features, without their sizes, and the numbers of each of them. */
export interface PackedFeatures {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each feature: its number in the file, where its bytes begin and end, side, size, whether it was gathered. */
  readonly numbers: Float64Array<ArrayBuffer>;
}

interface Waiting {
  readonly job: VectorJob;
  resolve(bytes: Uint8Array | undefined): void;
  reject(error: Error): void;
}

const THREADS = 2;
const MOST_WAITING = 100;

/** Draws vector tiles on threads of their own, which start when they are needed, so that the event loop stays free. */
export class VectorThreads {
  readonly #queue: Waiting[] = [];
  readonly #idle: Worker[] = [];
  #started = 0;
  readonly #running = new Map<Worker, Waiting>();

  draw(job: VectorJob): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length >= MOST_WAITING)
        return reject(
          new AppError('unavailable', `${MOST_WAITING} vector tiles are waiting to be drawn. Try again in 2 s.`, {
            retryAfter: 2,
          }),
        );
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    const [first] = this.#queue;
    if (first === undefined) return;
    const thread = this.#idle.pop() ?? (this.#started < THREADS ? this.#start() : undefined);
    if (thread === undefined) return;
    this.#queue.shift();
    this.#running.set(thread, first);
    thread.ref();
    const { bytes, numbers } = first.job.features;
    thread.postMessage(first.job, [bytes.buffer, numbers.buffer]);
  }

  #start(): Worker {
    this.#started++;
    const thread = new Worker(new URL('./vector-thread.ts', import.meta.url));
    thread.on('message', ({ bytes, error }: { bytes?: Uint8Array; error?: string }) => {
      const done = this.#running.get(thread);
      this.#running.delete(thread);
      // An idle thread does not keep the process alive.
      thread.unref();
      this.#idle.push(thread);
      if (error === undefined) done?.resolve(bytes);
      else done?.reject(new Error(error));
      this.#next();
    });
    const end = (error: Error) => {
      const done = this.#running.get(thread);
      this.#running.delete(thread);
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
      done?.reject(error);
    };
    thread.on('error', end);
    thread.on('exit', () => {
      this.#started--;
      end(new Error('A thread that draws vector tiles ended.'));
      this.#next();
    });
    return thread;
  }

  async close(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(new Error('The server is closing.'));
    await Promise.all([...this.#idle, ...this.#running.keys()].map((thread) => thread.terminate()));
  }
}
