import { type ConversionError, RequestError } from 'hydrofiles/errors';

/** Kinds of errors that a caller sees. `http/answers/problems.ts` maps them to HTTP statuses. */
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
  | 'damaged'
  | 'unavailable';

export interface ErrorDetails {
  /** Stable PascalCase name in error answers. Default: the kind. */
  code?: string | undefined;
  /** Dotted path of a member, with `[n]` → sentences. */
  errors?: Readonly<Record<string, string[]>> | undefined;
  /** Seconds after which the caller may retry. */
  retryAfter?: number;
  /** Header fields of the answer, such as `Allow`. */
  headers?: Record<string, string>;
  /** More members of the answer, such as `available`. */
  members?: Record<string, number | string>;
}

/** A refusal that the caller can act upon. Every other error is a bug or an outage. */
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

/** `noun`: `Project`, `Dataset`, `Transfer`. Also for objects that exist but are not visible to the caller. */
export const notFound = (noun: string, id: string) => new AppError('notFound', `${noun} '${id}' was not found.`);

/** `invalid` for one member of a request. `path` is dotted, with `[n]`. */
export const invalidMember = (path: string, sentence: string, code?: string) =>
  new AppError('invalid', sentence, { errors: { [path]: [sentence] }, ...(code === undefined ? {} : { code }) });

/** The library's refusal as the platform answers it. */
export const asAppError = (error: ConversionError): AppError =>
  error instanceof RequestError
    ? new AppError('invalid', error.message, { code: error.code, errors: error.errors })
    : new AppError('unprocessable', error.message, { code: error.code });
