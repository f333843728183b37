import { type Command, CommanderError } from 'commander';
import { Interrupted, OutputFailed, plain, UsageError } from 'hydrofiles/terminal';
import { Declined, NotLoggedIn, Refused, TransferNotCompleted, Unreachable } from './errors.ts';
import { type Io, terminal } from './io.ts';
import { messageWithOptions } from './option-names.ts';
import { programFor } from './program.ts';

const EXIT = { ok: 0, failed: 1, usage: 2, notLoggedIn: 3 } as const;

/**
 * Runs one command. Returns the exit code: 0 done, 1 refused or failed, 2 wrong usage, 3 not logged in; others see
 * `TRANSFER_EXIT`.
 */
export async function main(argv: readonly string[], io = terminal(process, process.env)): Promise<number> {
  let running: Command | undefined;
  try {
    try {
      const program = await programFor(argv, io);
      program.hook('preAction', (_, command) => {
        running = command;
      });
      await program.parseAsync(argv, { from: 'user' });
    } catch (error) {
      // exit code 0: help or version was printed
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    }
    await io.flush();
    return EXIT.ok;
  } catch (error) {
    return exitCode(error, io, running);
  }
}

/** Writes an error to stderr, in one line (`--json`: as a problem of RFC 9457), and returns its exit code. */
function exitCode(error: unknown, io: Io, running: Command | undefined): number {
  // commander has printed it already
  if (error instanceof CommanderError) return EXIT.usage;
  if (error instanceof OutputFailed && error.pipeClosed) return EXIT.failed;
  if (io.env.NODE_DEBUG?.includes('platform') && error instanceof Error) io.note(error.stack ?? '');
  if (io.json) io.note(JSON.stringify(toProblem(error)));
  else io.note(`platform: ${plain(formatError(error, running))}`);
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof TransferNotCompleted) return error.exitCode;
  return error instanceof NotLoggedIn ? EXIT.notLoggedIn : EXIT.failed;
}

const errorMessage = (error: unknown) =>
  (error instanceof Error ? error.message || error.name : String(error)).replace(/\s*\n\s*/g, ' ');

const formatError = (error: unknown, running: Command | undefined) =>
  error instanceof Refused && running ? messageWithOptions(error, running) : errorMessage(error);

const TITLES = [
  [UsageError, 'Wrong usage'],
  [NotLoggedIn, 'Not logged in'],
  [Unreachable, 'No answer'],
  [Declined, 'Not confirmed'],
  [Interrupted, 'Interrupted'],
  [TransferNotCompleted, 'Transfer not completed'],
] as const;

/** The server's problem; for errors of this program, a problem with the same members. */
function toProblem(error: unknown): object {
  if ((error instanceof Refused || error instanceof NotLoggedIn) && error.problem?.detail) return error.problem;
  const [, title = 'Failed'] = TITLES.find(([type]) => error instanceof type) ?? [];
  const code = error instanceof Error && title !== 'Failed' ? error.name : 'Failed';
  return { type: 'about:blank', title, detail: errorMessage(error), code };
}
