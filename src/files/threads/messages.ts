import { ConversionError, FormatError, RequestError } from '../errors.ts';

/** Messages to a thread: a task, and the answers to its questions. */
export type ToThread =
  | {
      readonly kind: 'task';
      readonly task: unknown;
      /** In shared memory: 1 when the task is aborted. */
      readonly aborted: Int32Array;
    }
  | { readonly kind: 'reply'; readonly number: number; readonly reply: unknown }
  | { readonly kind: 'refusal'; readonly number: number; readonly error: PlainError };

/** Messages of a thread: questions of its running task, and the end of it. */
export type FromThread =
  | { readonly kind: 'question'; readonly number: number; readonly question: unknown }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: PlainError };

/** An error as a message: structured clones of errors lose class and members. */
export interface PlainError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly members: object;
}

/** A class of errors that are the same on both sides. */
export type ErrorClass = abstract new (...parameters: never[]) => Error;

/** Tells the task that nobody waits for its result any more. */
export class TaskAborted extends Error {
  constructor() {
    super('The task was aborted.');
  }
}

const KNOWN: readonly ErrorClass[] = [FormatError, ConversionError, RequestError, TaskAborted];

export function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { type: 'Error', message: String(error), members: {} };
  const { message, stack } = error;
  return { type: error.constructor.name, message, stack, members: { ...error } };
}

/** An error of one of the classes, or else an `Error`, with message, stack and members of the original. */
export function fromPlain({ type, message, stack, members }: PlainError, classes: readonly ErrorClass[] = []): Error {
  const error = Object.assign(new Error(message), members);
  error.stack = stack ?? message;
  const known = [...KNOWN, ...classes].find(({ name }) => name === type);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  return error;
}
