import { Worker } from 'node:worker_threads';
import type { Crs } from '../../data/crs-reference.ts';
import { AppError } from '../../errors.ts';
import type { Header } from '../../formats/flatgeobuf/header-reader.ts';
import type { TileLayer, TileNumber } from '../../geo/tiles/vector-tile.ts';

/** A tile to be drawn, with what is drawn. Plain data, so that it can be posted to a thread; the arrays are moved to it. */
export interface VectorJob {
  readonly tile: TileNumber;
  readonly crs: Crs;
  readonly layer: TileLayer;
  /**
   * For each feature or element: its number in the file or its id; where its bytes or coordinates begin and end; side,
   * size, and 1 if it stands for others around it.
   */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly content: FeatureContent | ElementContent;
}

/** Numbers of each feature in a job. */
export const NUMBERS = 6;

/** The bytes of features, without their sizes. */
export interface FeatureContent {
  readonly kind: 'features';
  readonly header: Pick<Header, 'columns' | 'geometryType' | 'hasZ' | 'hasM'>;
  /** Places of the attributes among the values of a feature. */
  readonly fields: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Polygons with values. */
export interface ElementContent {
  readonly kind: 'elements';
  /** x, y, … */
  readonly coordinates: Float64Array<ArrayBuffer>;
  /** For each attribute the values of all polygons; NaN is none. */
  readonly values: readonly Float64Array<ArrayBuffer>[];
}

function movedBuffers({ numbers, content }: VectorJob): ArrayBuffer[] {
  if (content.kind === 'features') return [numbers.buffer, content.bytes.buffer];
  return [numbers.buffer, content.coordinates.buffer, ...content.values.map(({ buffer }) => buffer)];
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
    thread.postMessage(first.job, movedBuffers(first.job));
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
