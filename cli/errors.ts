import { Interrupted, OutputFailed } from 'hydrofiles/terminal';
import type { Problem as WholeProblem } from '../src/http/openapi/problem.ts';

/** An error of the API (RFC 9457). Partial, because older servers and proxies send fewer members. */
export type Problem = Partial<WholeProblem>;

/** The person did not confirm: exit code 1. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** Not logged in, or the login has ended: exit code 3. */
export class NotLoggedIn extends Error {
  override readonly name = 'NotLoggedIn';
  /** The server's answer, if the error comes from the server. */
  readonly problem: Problem | undefined;

  constructor(message: string, problem?: Problem) {
    super(message);
    this.problem = problem;
  }
}

/** Nothing was started, because it would fail. */
export class WouldFail extends Error {
  override readonly name = 'WouldFail';
}

/** The server does not answer, or the connection broke. A retry may succeed. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The server refused the request; `message` is one line for people. */
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

/** The transfer of `work --transfer` has not ended as Completed. */
export class TransferNotCompleted extends Error {
  override readonly name = 'TransferNotCompleted';
  readonly exitCode: number;

  constructor(outcome: keyof typeof TRANSFER_EXIT, message: string) {
    super(message);
    this.exitCode = TRANSFER_EXIT[outcome];
  }
}

/** Errors that the next files would meet as well. */
export const concernsAll = (error: unknown) =>
  error instanceof NotLoggedIn || error instanceof Interrupted || error instanceof OutputFailed;
