import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { text, uuidText } from '../../http/rules/members.ts';

/** A part or item that failed in a run of a maintenance task. */
export const FailedItem = z.object({
  part: text('Part of the task.', 'projects'),
  item: uuidText('Item that failed, such as the id of a project; absent if the whole part failed.').optional(),
  reason: text('Why the item failed.', 'The store cannot be reached.'),
});
export type FailedItem = z.infer<typeof FailedItem>;

const StoredRun = z.object({
  name: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  failed: z.number(),
  failures: z.array(FailedItem),
});
export type StoredRun = z.infer<typeof StoredRun>;

/** The last finished run of each cron job. */
export const listMaintenanceRuns = (db: Reads) =>
  db.any(
    sql.type(StoredRun)`select name, started_at, finished_at, failed, failures from maintenance_runs order by name`,
  );

/** Stores the result of a run. Of concurrent runs, the one that ends last is kept. */
export const storeMaintenanceRun = (
  tx: Transaction,
  { name, startedAt, failed, failures }: Omit<StoredRun, 'finishedAt'>,
) =>
  tx.query(sql.unsafe`
    insert into maintenance_runs (name, started_at, failed, failures)
    values (${name}, ${startedAt}::timestamptz, ${failed}, ${sql.jsonb(failures)})
    on conflict (name) do update set started_at = excluded.started_at, finished_at = excluded.finished_at,
      failed = excluded.failed, failures = excluded.failures`);

/** Throws unless the database responds. */
export const askDatabase = (tx: Transaction) => tx.query(sql.unsafe`select`);
