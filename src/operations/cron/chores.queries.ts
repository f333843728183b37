import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

/** A part or item that failed in a run of a chore (a maintenance job). */
export const ChoreFailure = z.object({
  part: z.string(),
  /** The failed item, such as a project id. Absent if the whole part failed. */
  item: z.string().optional(),
  reason: z.string(),
});
export type ChoreFailure = z.infer<typeof ChoreFailure>;

const ChoreRun = z.object({
  name: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  failed: z.number(),
  failures: z.array(ChoreFailure),
});
export type ChoreRun = z.infer<typeof ChoreRun>;

/** The last finished run of each chore. */
export const listChoreRuns = (db: Db) =>
  db.any(sql.type(ChoreRun)`select name, started_at, finished_at, failed, failures from chore_runs order by name`);

/** Stores the result of a run. Of concurrent runs, the one that ends last is kept. */
export const storeChoreRun = (db: Db, { name, startedAt, failed, failures }: Omit<ChoreRun, 'finishedAt'>) =>
  db.query(sql.unsafe`
    insert into chore_runs (name, started_at, failed, failures)
    values (${name}, ${startedAt}::timestamptz, ${failed}, ${sql.jsonb(failures)})
    on conflict (name) do update set started_at = excluded.started_at, finished_at = excluded.finished_at,
      failed = excluded.failed, failures = excluded.failures`);

/** Throws unless the database responds. */
export const askDatabase = (db: Db) => db.query(sql.unsafe`select`);
