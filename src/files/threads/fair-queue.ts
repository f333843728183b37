export interface FairQueueLimits {
  /** Maximum number of running tasks. */
  readonly concurrency: number;
  /** Maximum number of waiting tasks of all keys. */
  readonly maxWaiting: number;
  readonly maxWaitingOfKey: number;
  /** While all running tasks are of one key, runs one task more, of another key. */
  readonly hasSpare?: boolean;
  /** The error of a task that is refused because its key, or the queue, has too many waiting tasks. */
  refusal(full: 'key' | 'queue'): Error;
}

interface WaitingTask {
  start(): void;
  refuse(reason: unknown): void;
}

/** Keys whose last start is remembered. */
const MAX_REMEMBERED = 1000;

/**
 * Shares a number of slots fairly between keys, such as tenants or clients. The next task is one of the key with the
 * fewest running tasks, else of the key that waits longest since its last start. A full queue refuses the last task of
 * the key with the most waiting tasks, in favour of a key that has fewer.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #waiting = new Map<string, WaitingTask[]>();
  readonly #running = new Map<string, number>();
  /** The number of the last start by key, earliest first. */
  readonly #lastStart = new Map<string, number>();
  #starts = 0;
  #counts = { waiting: 0, running: 0 };
  #closed: Error | undefined;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get counts(): { readonly waiting: number; readonly running: number } {
    return { ...this.#counts };
  }

  /** Runs the task when it is its turn. An aborted task leaves the queue; a running one is not ended. */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(key, signal);
    try {
      return await task();
    } finally {
      this.#leave(key);
    }
  }

  /** Refuses waiting and later tasks. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const tasks of this.#waiting.values()) for (const task of tasks) task.refuse(reason);
    this.#waiting.clear();
    this.#counts.waiting = 0;
  }

  #enter(key: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#closed !== undefined) throw this.#closed;
    const { maxWaiting, maxWaitingOfKey, refusal } = this.#limits;
    const tasks = this.#waiting.get(key) ?? [];
    if (tasks.length >= maxWaitingOfKey) throw refusal('key');
    if (this.#counts.waiting >= maxWaiting) this.#displace(tasks.length);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (end: () => void) => {
      signal?.removeEventListener('abort', abort);
      end();
    };
    const task = { start: () => settle(resolve), refuse: (reason: unknown) => settle(() => reject(reason)) };
    const abort = () => {
      this.#remove(key, task);
      task.refuse(signal!.reason);
    };
    signal?.addEventListener('abort', abort);
    this.#waiting.set(key, [...tasks, task]);
    this.#counts.waiting++;
    this.#startNext();
    return promise;
  }

  #leave(key: string): void {
    const left = this.#running.get(key)! - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    this.#counts.running--;
    this.#startNext();
  }

  #remove(key: string, task: WaitingTask): void {
    const left = this.#waiting.get(key)!.filter((one) => one !== task);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
    this.#counts.waiting--;
  }

  /** Refuses the last task of the key with the most, unless that key has at most one more than `own`. */
  #displace(own: number): void {
    const { refusal } = this.#limits;
    const [key, tasks] = [...this.#waiting].reduce((most, one) => (one[1].length > most[1].length ? one : most));
    if (tasks.length <= own + 1) throw refusal('queue');
    const last = tasks.at(-1)!;
    this.#remove(key, last);
    last.refuse(refusal('queue'));
  }

  #startNext(): void {
    while (this.#waiting.size > 0 && this.#hasSlot()) {
      const key = [...this.#waiting.keys()].reduce((best, one) => (this.#isBefore(one, best) ? one : best));
      const [task] = this.#waiting.get(key)!;
      this.#remove(key, task!);
      this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
      this.#counts.running++;
      this.#lastStart.delete(key);
      this.#lastStart.set(key, this.#starts++);
      if (this.#lastStart.size > MAX_REMEMBERED) this.#lastStart.delete(this.#lastStart.keys().next().value!);
      task!.start();
    }
  }

  #hasSlot(): boolean {
    const { concurrency, hasSpare } = this.#limits;
    if (this.#counts.running < concurrency) return true;
    if (hasSpare !== true || this.#counts.running > concurrency || this.#running.size > 1) return false;
    return [...this.#waiting.keys()].some((key) => !this.#running.has(key));
  }

  #isBefore(one: string, other: string): boolean {
    const byRunning = (this.#running.get(one) ?? 0) - (this.#running.get(other) ?? 0);
    return (byRunning || (this.#lastStart.get(one) ?? -1) - (this.#lastStart.get(other) ?? -1)) < 0;
  }
}
