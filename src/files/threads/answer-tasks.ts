import { parentPort } from 'node:worker_threads';
import { type FromThread, fromPlain, TaskAborted, type ToThread, toPlain } from './messages.ts';

/** Services that a task may use. */
export interface TaskContext<Question = never, Reply = never> {
  /** Asks the caller of the task, which may be slow on purpose. */
  ask(question: Question, transfer?: readonly ArrayBuffer[]): Promise<Reply>;
  /** Throws if the task was aborted. */
  throwIfAborted(): void;
}

/**
 * Answers the tasks of this thread, one after the other. Does nothing in the main thread, so that a script of a thread
 * can be imported.
 * @param transferOf buffers of a result that are moved to the caller, not copied
 */
export function answerTasks<Task, Result, Question = never, Reply = never>(
  handle: (task: Task, context: TaskContext<Question, Reply>) => Result | Promise<Result>,
  transferOf: (result: Result) => readonly ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) return;
  const post = (message: FromThread, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, [...transfer]);
  const pendingRequests = new Map<number, PromiseWithResolvers<Reply>>();
  let questions = 0;
  const ask = (question: Question, transfer?: readonly ArrayBuffer[]): Promise<Reply> => {
    const answer = Promise.withResolvers<Reply>();
    pendingRequests.set(++questions, answer);
    post({ kind: 'question', number: questions, question }, transfer);
    return answer.promise;
  };
  const run = async (task: Task, aborted: Int32Array) => {
    const throwIfAborted = () => {
      if (Atomics.load(aborted, 0) === 1) throw new TaskAborted();
    };
    try {
      const result = await handle(task, { ask, throwIfAborted });
      post({ kind: 'result', result }, transferOf(result));
    } catch (error) {
      post({ kind: 'error', error: toPlain(error) });
    }
  };
  let last: Promise<void> = Promise.resolve();
  port.on('message', (message: ToThread) => {
    if (message.kind === 'task') {
      last = last.then(() => run(message.task as Task, message.aborted));
      return;
    }
    const answer = pendingRequests.get(message.number);
    pendingRequests.delete(message.number);
    if (message.kind === 'reply') answer?.resolve(message.reply as Reply);
    else answer?.reject(fromPlain(message.error));
  });
}
