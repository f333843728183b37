import type { Db } from '../../db.ts';
import { troubleOf } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { CRON } from '../../jobs.ts';
import type { Chore } from '../../platform/async/chore.ts';
import type { ChoreFailure } from './chores.queries.ts';
import { askDatabase, storeChoreRun } from './chores.queries.ts';

export interface ChoreParts {
  db: Db;
  log: { warn(details: object, message: string): void };
  signal?: AbortSignal | undefined;
}

/** Failures of one run that are kept and logged; beyond that they are counted. */
const MOST_TOLD = 20;
const LONGEST_REASON = 500;

/**
 * Runs a chore to its end, whatever fails in it, and keeps what failed for operators to see. A run that is broken off leaves what is known
 * of the last one; the queue starts it again.
 */
export async function runChore(parts: ChoreParts, name: string, work: (chore: Chore) => Promise<void>): Promise<void> {
  const { db, log, signal } = parts;
  const startedAt = new Date().toISOString();
  const failures: ChoreFailure[] = [];
  let failed = 0;

  async function attempt(part: string, step: () => Promise<unknown>, item?: string): Promise<boolean> {
    signal?.throwIfAborted();
    try {
      await step();
      return true;
    } catch (error) {
      signal?.throwIfAborted();
      if (item !== undefined && concernsAll(error)) throw error;
      // what broke the connection may have been this item; where the database is away, all others would fail as well
      if (troubleOf(error) === 'outage') await askDatabase(db);
      failed++;
      if (failed > MOST_TOLD) return false;
      failures.push({ part, ...(item === undefined ? {} : { item }), reason: reasonOf(error) });
      log.warn({ chore: name, part, item, err: error }, 'a chore could not do this; its next run tries again');
      return false;
    }
  }

  await work({ signal, attempt });
  if (failed > 0) log.warn({ chore: name, failed }, 'a chore has left something undone');
  if (name in CRON) await storeChoreRun(db, { name, startedAt, failed, failures });
}

/** The blob store is away: the next item would wait for it, too. */
const concernsAll = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

/** For operators, without the paths of this machine. */
function reasonOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (!(root instanceof Error)) return String(root).slice(0, LONGEST_REASON);
  const { code, syscall } = root as NodeJS.ErrnoException;
  return (syscall === undefined ? root.message : `${code} (${syscall})`).slice(0, LONGEST_REASON);
}
