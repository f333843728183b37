import { type TaskContext, ThreadPool } from 'hydrofiles/threads';
import { AppError } from '../errors.ts';

/** Maximum number of waiting drawings, of all tenants and of one. */
const [MAX_WAITING, MAX_WAITING_OF_TENANT] = [200, 100];
/** A thread that draws one tile for longer is terminated. */
const TIME_LIMIT = 60_000;

/** Who waits for a tile. */
export interface TileRequest {
  /** Threads are shared fairly between tenants. */
  readonly tenant: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** Bytes that a thread asks for: the connection to the store belongs to the event loop of the server. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Services that a drawing in a thread may use. */
export type DrawContext = TaskContext<ByteRange, Uint8Array>;

/** Parameters of a drawing besides its job. */
export interface DrawParts {
  /** Reads the source. */
  read?(offset: number, length: number): Promise<Uint8Array>;
  /** Buffers of the job that are moved to the thread, not copied. */
  readonly moved?: readonly ArrayBuffer[];
}

/** Draws one tile; undefined: nothing lies in it. */
export type Draw = (job: unknown, parts?: DrawParts) => Promise<Uint8Array | undefined>;

/**
 * Draws tiles on threads. When one tenant has all of them, another one need not wait for the end of a drawing: there is
 * one thread more for it.
 */
export class DrawThreads {
  readonly #pool: ThreadPool<unknown, Uint8Array | undefined, ByteRange, Uint8Array>;

  /** @param concurrency number of threads */
  constructor(script: URL, concurrency: number) {
    this.#pool = new ThreadPool(script, {
      concurrency,
      hasSpare: true,
      maxWaiting: MAX_WAITING,
      maxWaitingOfKey: MAX_WAITING_OF_TENANT,
      refusal: () =>
        new AppError('unavailable', 'Too many tiles are waiting to be drawn. Try again in 2 s.', { retryAfter: 2 }),
    });
  }

  get counts(): { waiting: number; drawing: number } {
    const { waiting, running } = this.#pool.counts;
    return { waiting, drawing: running };
  }

  /** Waits for a thread and lends it to `work`. An aborted request leaves the queue; its running drawing ends early. */
  use<T>({ tenant, signal }: TileRequest, work: (draw: Draw) => Promise<T>): Promise<T> {
    return this.#pool.lend({ key: tenant, signal }, (thread) =>
      work(async (job, { read, moved = [] } = {}) => {
        const late = new AppError('unavailable', `The tile was not drawn within ${TIME_LIMIT / 1000} s.`);
        const limit = setTimeout(() => void thread.end(late), TIME_LIMIT);
        try {
          return await thread.run(job, {
            signal,
            transfer: moved,
            ...(read && { reply: ({ offset, length }) => read(offset, length) }),
          });
        } finally {
          clearTimeout(limit);
        }
      }),
    );
  }

  close(): Promise<void> {
    return this.#pool.close(new AppError('unavailable', 'The server is closing.'));
  }
}
