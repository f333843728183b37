/** Wrong usage of the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code after Ctrl-C, as in shells. */
export const INTERRUPTED = 130;

/** The process was asked to stop, mostly by Ctrl-C; `message` says what was left undone, or continues elsewhere. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(message: string, exitCode = INTERRUPTED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The result cannot be written: a full disk, or a pipe whose reader is gone. */
export class OutputFailed extends Error {
  override readonly name = 'OutputFailed';
  /** The reader closed the pipe (EPIPE), which needs no message. */
  readonly pipeClosed: boolean;

  constructor(cause: Error) {
    super(`The output cannot be written: ${cause.message}`, { cause });
    this.pipeClosed = (cause as NodeJS.ErrnoException).code === 'EPIPE';
  }
}
