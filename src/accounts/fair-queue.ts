import { AppError } from '../errors.ts';

/** Runs work for one of several clients. */
export type FairQueue = <T>(client: string, work: () => Promise<T>) => Promise<T>;

export interface FairQueueOptions {
  /** Maximum number of tasks that run at once. */
  concurrency: number;
  /** Maximum number of waiting tasks of all clients. */
  maxWaiting: number;
  maxWaitingPerClient: number;
}

interface Task {
  start(): void;
  refuse(error: AppError): void;
}

const RETRY_AFTER_SECONDS = 3;

/**
 * A round-robin queue: the clients with waiting tasks take turns, so that a client with a hundred tasks delays only
 * itself. Refuses tasks beyond `maxWaitingPerClient`. At `maxWaiting`, refuses the last task of the client with most
 * waiting tasks in favour of a client that has fewer.
 */
export function fairQueue({ concurrency, maxWaiting, maxWaitingPerClient }: FairQueueOptions): FairQueue {
  /** Waiting tasks by client; the first client is next. */
  const tasksOf = new Map<string, Task[]>();
  let running = 0;
  let waiting = 0;

  function wait(client: string): Promise<void> {
    const tasks = tasksOf.get(client) ?? [];
    if (tasks.length >= maxWaitingPerClient)
      throw new AppError(
        'tooManyRequests',
        'Too many passwords from this address are being checked. Try again later.',
        { retryAfter: RETRY_AFTER_SECONDS },
      );
    if (waiting >= maxWaiting) displaceTask(tasks.length);
    waiting++;
    return new Promise<void>((start, refuse) => {
      tasks.push({ start, refuse });
      tasksOf.set(client, tasks);
    });
  }

  /**
   * Refuses the last task of the client with most waiting tasks. Throws if that client has not more than `ownTasks` +
   * 1.
   */
  function displaceTask(ownTasks: number) {
    let longest: Task[] = [];
    for (const tasks of tasksOf.values()) if (tasks.length > longest.length) longest = tasks;
    const last = longest.length > ownTasks + 1 ? longest.pop() : undefined;
    if (!last) throw queueFull();
    waiting--;
    last.refuse(queueFull());
  }

  /** Starts the next waiting task in the slot of a task that ended. A new task cannot take the slot first. */
  function startNext() {
    const [client, tasks] = tasksOf.entries().next().value ?? [];
    if (client === undefined || tasks === undefined) {
      running--;
      return;
    }
    tasksOf.delete(client);
    const [first, ...rest] = tasks;
    // the client goes to the end of the round
    if (rest.length > 0) tasksOf.set(client, rest);
    waiting--;
    first?.start();
  }

  return async (client, work) => {
    if (running < concurrency) running++;
    else await wait(client);
    try {
      return await work();
    } finally {
      startNext();
    }
  };
}

const queueFull = () =>
  new AppError('unavailable', 'Too many passwords are being checked. Try again later.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });
