/** What went wrong, in the few kinds that callers tell apart. One place turns them into a status (`http/problems.ts`). */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'methodNotAllowed'
  | 'conflict'
  | 'gone'
  | 'preconditionFailed'
  | 'tooLarge'
  | 'unsupportedMediaType'
  | 'rangeNotSatisfiable'
  | 'unprocessable'
  | 'tooManyRequests'
  | 'notImplemented'
  | 'unavailable';

export interface ErrorDetails {
  /** Stable PascalCase name on the wire; without one the kind's own name stands. */
  code?: string;
  /** Dotted path with `[n]`, names as the caller sent them → sentences. */
  errors?: Record<string, string[]>;
  /** Seconds after which the caller may try again. */
  retryAfter?: number;
  /** Header fields that belong to the refusal, such as `Allow`. */
  headers?: Record<string, string>;
}

/** A refusal that its receiver can understand and act upon. Everything else that is thrown is a bug or an outage. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.details = details;
  }
}

export const invalid = (message: string, details?: ErrorDetails) => new AppError('invalid', message, details);
export const forbidden = (message: string, details?: ErrorDetails) => new AppError('forbidden', message, details);
export const conflict = (message: string, details?: ErrorDetails) => new AppError('conflict', message, details);

/** `noun` as a caller calls the thing: `Project`, `Dataset`, `Transfer`. Also the answer for what exists but is not visible. */
export const notFound = (noun: string, id: string) => new AppError('notFound', `${noun} '${id}' was not found.`);

/** One wrong member of a request. `path` is dotted, with `[n]`. */
export const invalidMember = (path: string, sentence: string, code?: string) =>
  new AppError('invalid', sentence, { errors: { [path]: [sentence] }, ...(code === undefined ? {} : { code }) });

/** A file that is not what its reader expects: hopeless, never tried again. `offset` is in bytes from the start of the file. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(offset === undefined ? message : `${message} (at byte ${offset})`);
    this.offset = offset;
  }
}
