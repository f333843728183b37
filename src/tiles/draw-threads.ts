import { AsyncResource } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { FormatError } from 'hydrofiles/errors';
import { AppError } from '../errors.ts';

/** Waiting drawings, over all tenants and of one of them. */
const [MOST_WAITING, MOST_WAITING_OF_TENANT] = [200, 100];
/** Tenants whose last drawing is remembered. */
const MOST_SERVED = 1000;
/** A thread that draws one tile for longer is terminated. */
const TIME_LIMIT = 60_000;

/** Messages to a drawing thread. */
export type ToThread =
  | { readonly kind: 'draw'; readonly job: unknown; readonly cancelled: Int32Array }
  | { readonly kind: 'bytes'; readonly number: number; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly number: number; readonly sentence: string };

/** Messages of a drawing thread: it reads the source of the job, or is done. */
export type FromThread =
  | { readonly kind: 'read'; readonly number: number; readonly offset: number; readonly length: number }
  | { readonly kind: 'done'; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'error'; readonly sentence: string; readonly cause: 'format' | 'cancelled' | 'other' };

/** Nobody waits for the tile any more. */
export class DrawingCancelled extends Error {
  constructor() {
    super('The drawing was cancelled.');
  }
}

/** Who waits for a tile. */
export interface TileRequest {
  /** Threads are shared fairly between tenants. */
  readonly tenant: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** What a drawing needs besides its job. */
export interface DrawParts {
  /** Reads the source, whose connection belongs to the event loop of the server. */
  read?(offset: number, length: number): Promise<Uint8Array>;
  /** Buffers of the job that are moved to the thread, not copied. */
  readonly moved?: readonly ArrayBuffer[];
}

/** Draws one tile. */
export type Draw = (job: unknown, parts?: DrawParts) => Promise<Uint8Array | undefined>;

interface Waiting {
  readonly signal: AbortSignal;
  start(thread: DrawThread): void;
  reject(error: unknown): void;
}

/**
 * Draws tiles on threads, which start when they are needed and stay, so that the event loop is free. The next drawing
 * is one of the tenant with the fewest running ones, else of the tenant that waits longest since its last one. When one
 * tenant has all threads, another one need not wait for the end of a drawing: there is one thread more for it.
 */
export class DrawThreads {
  readonly #script: URL;
  readonly #most: number;
  readonly #idle: DrawThread[] = [];
  readonly #all = new Set<DrawThread>();
  readonly #queues = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  /** By tenant: the number of its last drawing. */
  readonly #served = new Map<string, number>();
  #serial = 0;
  #isClosed = false;

  /** @param most threads */
  constructor(script: URL, most: number) {
    this.#script = script;
    this.#most = most;
  }

  get counts(): { waiting: number; drawing: number } {
    const waiting = [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0);
    return { waiting, drawing: this.#all.size - this.#idle.length };
  }

  /**
   * Waits for a thread and lends it to `work`. An aborted request leaves the queue, and a running drawing ends early.
   */
  use<T>({ tenant, signal }: TileRequest, work: (draw: Draw) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const queue = this.#queues.get(tenant) ?? [];
    if (signal.aborted || this.#isClosed) {
      reject(signal.aborted ? signal.reason : closing());
      return promise;
    }
    if (queue.length >= MOST_WAITING_OF_TENANT || this.counts.waiting >= MOST_WAITING) {
      reject(tooMany());
      return promise;
    }
    const leave = () => {
      const waiting = this.#queues.get(tenant);
      const at = waiting?.indexOf(entry) ?? -1;
      if (at < 0) return;
      waiting!.splice(at, 1);
      if (waiting!.length === 0) this.#queues.delete(tenant);
      reject(signal.reason);
    };
    const entry: Waiting = {
      signal,
      reject,
      // In the context of its own request, whichever request has released the thread.
      start: AsyncResource.bind((thread: DrawThread) => {
        signal.removeEventListener('abort', leave);
        this.#running.set(tenant, this.#runningOf(tenant) + 1);
        const draw: Draw = (job, parts = {}) => thread.draw(job, signal, parts);
        work(draw)
          .then(resolve, reject)
          .finally(() => this.#release(tenant, thread));
      }),
    };
    queue.push(entry);
    this.#queues.set(tenant, queue);
    signal.addEventListener('abort', leave, { once: true });
    this.#next();
    return promise;
  }

  #release(tenant: string, thread: DrawThread): void {
    const left = this.#runningOf(tenant) - 1;
    if (left === 0) this.#running.delete(tenant);
    else this.#running.set(tenant, left);
    if (thread.hasEnded) this.#all.delete(thread);
    else this.#idle.push(thread);
    this.#next();
  }

  #next(): void {
    while (this.#queues.size > 0) {
      const drawing = this.#all.size - this.#idle.length;
      if (drawing > this.#most || (drawing === this.#most && !this.#isTakenByOne())) return;
      const thread = this.#idle.pop() ?? this.#start();
      if (thread.hasEnded) {
        this.#all.delete(thread);
        continue;
      }
      this.#take().start(thread);
    }
  }

  /** Whether all running drawings are of one tenant, and another one waits: a thread more is lent to that one. */
  #isTakenByOne(): boolean {
    return this.#running.size === 1 && [...this.#queues.keys()].some((tenant) => !this.#running.has(tenant));
  }

  #take(): Waiting {
    const [chosen] = [...this.#queues.keys()].toSorted(
      (one, other) => this.#runningOf(one) - this.#runningOf(other) || this.#servedAt(one) - this.#servedAt(other),
    );
    const queue = this.#queues.get(chosen!)!;
    const entry = queue.shift()!;
    if (queue.length === 0) this.#queues.delete(chosen!);
    // The last served tenant is the last one of the map.
    this.#served.delete(chosen!);
    this.#served.set(chosen!, this.#serial++);
    if (this.#served.size > MOST_SERVED) this.#served.delete(this.#served.keys().next().value!);
    return entry;
  }

  #runningOf(tenant: string): number {
    return this.#running.get(tenant) ?? 0;
  }

  #servedAt(tenant: string): number {
    return this.#served.get(tenant) ?? -1;
  }

  #start(): DrawThread {
    const thread = new DrawThread(this.#script);
    this.#all.add(thread);
    return thread;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const queue of this.#queues.values()) for (const { reject } of queue) reject(closing());
    this.#queues.clear();
    await Promise.all([...this.#all].map((thread) => thread.end(closing())));
  }
}

const closing = () => new AppError('unavailable', 'The server is closing.');
const tooMany = () =>
  new AppError('unavailable', 'Too many tiles are waiting to be drawn. Try again in 2 s.', { retryAfter: 2 });

interface Running {
  readonly read: DrawParts['read'];
  resolve(bytes: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

/** A thread that draws one tile at a time. */
class DrawThread {
  readonly #worker: Worker;
  #running: Running | undefined;
  hasEnded = false;

  constructor(script: URL) {
    this.#worker = new Worker(script);
    this.#worker.on('message', (message: FromThread) => this.#answer(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('A thread that draws tiles ended.')));
  }

  draw(job: unknown, signal: AbortSignal, { read, moved = [] }: DrawParts): Promise<Uint8Array | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    if (this.hasEnded) return Promise.reject(new Error('A thread that draws tiles ended.'));
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const cancel = () => Atomics.store(cancelled, 0, 1);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const limit = setTimeout(() => {
      const seconds = TIME_LIMIT / 1000;
      void this.end(new AppError('unavailable', `The tile was not drawn within ${seconds} s.`));
    }, TIME_LIMIT);
    const finish = () => {
      clearTimeout(limit);
      signal.removeEventListener('abort', cancel);
      // An idle thread does not keep the process alive.
      this.#worker.unref();
    };
    promise.then(finish, finish);
    this.#running = { read, resolve, reject };
    this.#worker.ref();
    this.#worker.postMessage({ kind: 'draw', job, cancelled } satisfies ToThread, [...moved]);
    return promise;
  }

  #answer(message: FromThread): void {
    const running = this.#running;
    if (running === undefined) return;
    if (message.kind === 'read') {
      const { number, offset, length } = message;
      const send = (answer: ToThread) => this.#worker.postMessage(answer);
      running.read!(offset, length).then(
        (bytes) => send({ kind: 'bytes', number, bytes }),
        (error: unknown) => send({ kind: 'failed', number, sentence: sentenceOf(error) }),
      );
      return;
    }
    this.#running = undefined;
    if (message.kind === 'done') running.resolve(message.bytes);
    else running.reject(errorOf(message));
  }

  #fail(error: unknown): void {
    this.hasEnded = true;
    this.#running?.reject(error);
    this.#running = undefined;
  }

  async end(error: unknown): Promise<void> {
    this.#fail(error);
    await this.#worker.terminate();
  }
}

function errorOf({ sentence, cause }: { sentence: string; cause: 'format' | 'cancelled' | 'other' }): Error {
  if (cause === 'cancelled') return new DrawingCancelled();
  return cause === 'format' ? new FormatError(sentence) : new Error(sentence);
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
