import { Worker, type WorkerOptions } from 'node:worker_threads';
import { type ErrorClass, type FromThread, fromPlain, TaskAborted, type ToThread, toPlain } from './messages.ts';

export interface ThreadOptions extends Pick<WorkerOptions, 'resourceLimits' | 'workerData'> {
  /** Classes of errors of tasks besides those of the library. */
  readonly errors?: readonly ErrorClass[];
  /** Called when the thread ended by itself: what it had in memory is gone. */
  lost?(): void;
}

export interface TaskOptions<Question = never, Reply = never> {
  /** Aborting it ends the task at its next check. */
  readonly signal?: AbortSignal | undefined;
  /** Buffers of the task that are moved to the thread, not copied. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Answers questions of the task. */
  reply?(question: Question): Promise<Reply>;
}

interface Pending {
  resolve(result: never): void;
  reject(error: unknown): void;
  readonly reply: ((question: never) => Promise<unknown>) | undefined;
}

/**
 * A worker thread that runs tasks in order. It starts with the first task and does not keep the process alive while it
 * is idle. If it ends by itself, its tasks fail, and the next task starts another one.
 *
 * Its script calls `answerTasks`; the types of tasks and results are those of the function that it passes.
 */
export class TaskThread<Task, Result, Question = never, Reply = never> {
  readonly #script: URL;
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;
  #pending: Pending[] = [];

  constructor(script: URL, options: ThreadOptions = {}) {
    this.#script = script;
    this.#options = options;
  }

  /** Number of unfinished tasks. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Starts the thread before its first task. */
  start(): Worker {
    this.#worker ??= this.#started();
    return this.#worker;
  }

  run(task: Task, { signal, transfer = [], reply }: TaskOptions<Question, Reply> = {}): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const aborted = new Int32Array(new SharedArrayBuffer(4));
    const abort = () => Atomics.store(aborted, 0, 1);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const settle = (end: () => void) => {
      signal?.removeEventListener('abort', abort);
      end();
    };
    const worker = this.start();
    worker.ref();
    worker.postMessage({ kind: 'task', task, aborted } satisfies ToThread, transfer);
    this.#pending.push({
      resolve: (result: Result) => settle(() => resolve(result)),
      reject: (error) => settle(() => reject(error instanceof TaskAborted ? signal?.reason : error)),
      reply,
    });
    return promise;
  }

  /** Ends the thread. Its tasks fail with the reason. */
  async end(reason: Error = new Error('The thread was ended.')): Promise<void> {
    const worker = this.#worker;
    this.#fail(reason);
    await worker?.terminate();
  }

  #started(): Worker {
    const { resourceLimits, workerData, lost } = this.#options;
    const worker = new Worker(this.#script, { ...(resourceLimits && { resourceLimits }), workerData });
    const fail = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#fail(error);
      lost?.();
    };
    worker.on('message', (message: FromThread) => {
      if (this.#worker === worker) this.#receive(worker, message);
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error(`The thread of ${this.#script.pathname.split('/').at(-1)} has ended.`)));
    worker.unref();
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if (message.kind === 'question') {
      const { number, question } = message;
      const post = (answer: ToThread) => worker.postMessage(answer);
      this.#pending[0]!.reply!(question as never).then(
        (reply) => post({ kind: 'reply', number, reply }),
        (error: unknown) => post({ kind: 'refusal', number, error: toPlain(error) }),
      );
      return;
    }
    const task = this.#pending.shift()!;
    if (this.#pending.length === 0) worker.unref();
    if (message.kind === 'result') task.resolve(message.result as never);
    else task.reject(fromPlain(message.error, this.#options.errors));
  }

  #fail(error: Error): void {
    this.#worker = undefined;
    for (const task of this.#pending.splice(0)) task.reject(error);
  }
}
