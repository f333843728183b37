import { FairQueue, type FairQueueLimits } from './fair-queue.ts';
import { type TaskOptions, TaskThread, type ThreadOptions } from './task-thread.ts';

/** Whose turn a task waits for. */
export interface Turn {
  /** Threads are shared fairly between keys. */
  readonly key: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Threads of one script, shared fairly between keys. They start when they are needed, and stay. A waiting task has no
 * thread; a running one has its own.
 */
export class ThreadPool<Task, Result, Question = never, Reply = never> {
  readonly #queue: FairQueue;
  readonly #start: () => TaskThread<Task, Result, Question, Reply>;
  readonly #idle: TaskThread<Task, Result, Question, Reply>[] = [];
  readonly #all: TaskThread<Task, Result, Question, Reply>[] = [];

  constructor(script: URL, limits: FairQueueLimits, options: ThreadOptions = {}) {
    this.#queue = new FairQueue(limits);
    this.#start = () => {
      const thread = new TaskThread<Task, Result, Question, Reply>(script, options);
      this.#all.push(thread);
      return thread;
    };
  }

  get counts(): { readonly waiting: number; readonly running: number } {
    return this.#queue.counts;
  }

  run(turn: Turn, task: Task, options: Omit<TaskOptions<Question, Reply>, 'signal'> = {}): Promise<Result> {
    return this.lend(turn, (thread) => thread.run(task, { ...options, signal: turn.signal }));
  }

  /** Lends a thread to `use`, for tasks that are prepared when it is their turn. */
  lend<T>({ key, signal }: Turn, use: (thread: TaskThread<Task, Result, Question, Reply>) => Promise<T>): Promise<T> {
    const lent = async () => {
      const thread = this.#idle.pop() ?? this.#start();
      try {
        return await use(thread);
      } finally {
        this.#idle.push(thread);
      }
    };
    return this.#queue.run(key, lent, signal);
  }

  /** Ends all threads. Waiting, running and later tasks fail with the reason. */
  async close(reason: Error): Promise<void> {
    this.#queue.close(reason);
    await Promise.all(this.#all.map((thread) => thread.end(reason)));
  }
}
