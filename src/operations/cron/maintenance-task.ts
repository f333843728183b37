import type { Database } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { CRON } from '../../jobs.ts';
import type { MaintenanceRun } from '../../platform/async/maintenance-run.ts';
import { databaseErrorKind } from '../../platform/sql/error-kind.ts';
import { askDatabase, type FailedItem, storeMaintenanceRun } from './maintenance-task.queries.ts';

export interface MaintenanceParts {
  db: Database;
  log: { warn(details: object, message: string): void };
  signal?: AbortSignal | undefined;
}

/** Maximum of failures per run that are stored and logged. Further ones are only counted. */
const MAX_LOGGED = 20;
const MAX_REASON_LENGTH = 500;

/**
 * Runs a maintenance task to its end even if parts of it fail, and stores the failures for operators. An aborted run
 * keeps the stored result of the previous run, and the queue retries it.
 */
export async function runMaintenance(
  parts: MaintenanceParts,
  name: string,
  work: (run: MaintenanceRun) => Promise<void>,
): Promise<void> {
  const { db, log, signal } = parts;
  const startedAt = new Date().toISOString();
  const failures: FailedItem[] = [];
  let failed = 0;

  async function attempt(part: string, step: () => Promise<unknown>, item?: string): Promise<boolean> {
    signal?.throwIfAborted();
    try {
      await step();
      return true;
    } catch (error) {
      signal?.throwIfAborted();
      if (item !== undefined && affectsAllItems(error)) throw error;
      // the item itself may have broken the connection; but during an outage all other items would fail too, so this
      // throws
      if (databaseErrorKind(error) === 'outage') await db.transaction((tx) => askDatabase(tx));
      failed++;
      if (failed > MAX_LOGGED) return false;
      failures.push({ part, ...(item === undefined ? {} : { item }), reason: describeError(error) });
      log.warn({ chore: name, part, item, err: error }, 'part of a maintenance task failed; its next run tries again');
      return false;
    }
  }

  await work({ signal, attempt });
  if (failed > 0) log.warn({ chore: name, failed }, 'a maintenance task finished with failures');
  if (name in CRON) await db.transaction((tx) => storeMaintenanceRun(tx, { name, startedAt, failed, failures }));
}

/** The blob store is unavailable, so the next item would fail too. */
const affectsAllItems = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

/** Reason for operators, without file paths of this machine. */
function describeError(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (!(root instanceof Error)) return String(root).slice(0, MAX_REASON_LENGTH);
  const { code, syscall } = root as NodeJS.ErrnoException;
  return (syscall === undefined ? root.message : `${code} (${syscall})`).slice(0, MAX_REASON_LENGTH);
}
