import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ConversionError, FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { openReadOnly } from './open-read-only.ts';
import type { ViewAnswer, ViewTask } from './view-thread.ts';

const bounds = { mostRows: 100_000_000, mostSeconds: 600 };

/**
 * A database with the rows of a view in a table of its name. A view may run without end (a join of tables without a
 * condition), and SQLite cannot be interrupted: it runs in a process of its own.
 * @throws ConversionError if the view takes too long
 */
export async function copyView(
  path: string,
  { view, columns }: Pick<ViewTask, 'view' | 'columns'>,
  { scratch, signal, onEnd }: Pick<Context, 'scratch' | 'signal' | 'onEnd'>,
  { mostRows, mostSeconds } = bounds,
): Promise<DatabaseSync> {
  const target = join(scratch, `${randomUUID()}.view`);
  onEnd(() => rm(target, { force: true }));
  const limit = AbortSignal.timeout(mostSeconds * 1000);
  const ended = AbortSignal.any([signal, limit]);
  const process = fork(new URL('./view-thread.ts', import.meta.url), { execArgv: [], stdio: 'ignore' });
  try {
    const died = once(process, 'exit', { signal: ended }).then(() => {
      throw new Error('The process that reads the view ended.');
    });
    died.catch(() => undefined);
    process.send({ source: path, view, columns, target, mostRows } satisfies ViewTask);
    const [answer] = (await Promise.race([once(process, 'message', { signal: ended }), died])) as [ViewAnswer];
    if (answer.error !== undefined) throw new FormatError(answer.error);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted)
      throw new ConversionError(
        `The view '${view.slice(0, 80)}' takes more than ${mostSeconds} s. Save its rows as a table.`,
      );
    throw error;
  } finally {
    process.kill('SIGKILL');
  }
  const database = openReadOnly(target);
  onEnd(async () => database.close());
  return database;
}
