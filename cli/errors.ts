import type { Problem as WholeProblem } from '../src/http/openapi/problem.ts';

/** An error as the API tells it (RFC 9457), or as far as an older server or a proxy does. */
export type Problem = Partial<WholeProblem>;

/** The program was called in a way that it does not understand: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Asked whether to go on, the person did not say yes: exit code 1. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** Nobody is logged in, or no longer: exit code 3. */
export class NotLoggedIn extends Error {
  override readonly name = 'NotLoggedIn';
  /** What the server said, if it was the server. */
  readonly problem: Problem | undefined;

  constructor(message: string, problem?: Problem) {
    super(message);
    this.problem = problem;
  }
}

/** Nothing answers, or not to the end: later it may. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The server's own refusal; `message` is one line for people. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;
  readonly problem: Problem;

  constructor(status: number, message: string, problem: Problem) {
    super(message);
    this.status = status;
    this.code = problem.code ?? '';
    this.problem = problem;
  }
}

/** Exit codes of `platform work --transfer` for a transfer that is not Completed. */
export const TRANSFER_EXIT = { failed: 4, cancelled: 5, waiting: 6, taken: 7, unfit: 8, unknown: 9 } as const;

/** The one transfer of a process has another outcome than Completed. */
export class TransferNotCompleted extends Error {
  override readonly name = 'TransferNotCompleted';
  readonly exitCode: number;

  constructor(outcome: keyof typeof TRANSFER_EXIT, message: string) {
    super(message);
    this.exitCode = TRANSFER_EXIT[outcome];
  }
}

/** Exit code after Ctrl-C, as shells have it. */
export const INTERRUPTED = 130;

/** The person pressed Ctrl-C; `message` says what goes on nevertheless. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The result cannot be written: a full disk, or a pipe whose reader is gone. */
export class OutputFailed extends Error {
  override readonly name = 'OutputFailed';
  /** Whoever reads it has enough: nothing needs to be said. */
  readonly unwanted: boolean;

  constructor(cause: Error) {
    super(`The output cannot be written: ${cause.message}`, { cause });
    this.unwanted = (cause as NodeJS.ErrnoException).code === 'EPIPE';
  }
}
