import { z } from 'zod';
import { type Db, sql } from '../../db.ts';

/** A part or item that failed in a run of a maintenance task. */
export const FailedItem = z.object({
  part: z.string(),
  /** The failed item, such as a project id. Absent if the whole part failed. */
  item: z.string().optional(),
  reason: z.string(),
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
export const listMaintenanceRuns = (db: Db) =>
  db.any(sql.type(StoredRun)`select name, started_at, finished_at, failed, failures from chore_runs order by name`);

/** Stores the result of a run. Of concurrent runs, the one that ends last is kept. */
export const storeMaintenanceRun = (db: Db, { name, startedAt, failed, failures }: Omit<StoredRun, 'finishedAt'>) =>
  db.query(sql.unsafe`
    insert into chore_runs (name, started_at, failed, failures)
    values (${name}, ${startedAt}::timestamptz, ${failed}, ${sql.jsonb(failures)})
    on conflict (name) do update set started_at = excluded.started_at, finished_at = excluded.finished_at,
      failed = excluded.failed, failures = excluded.failures`);

/** Throws unless the database responds. */
export const askDatabase = (db: Db) => db.query(sql.unsafe`select`);
