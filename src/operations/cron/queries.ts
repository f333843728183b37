import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

const LastRun = z.object({ name: z.string(), lastRun: z.string().optional() });

/** Times at which cron jobs were last enqueued. A job that no worker has registered yet has no row. */
export const listLastRuns = (db: Reads) =>
  db.any(sql.type(LastRun)`
    select identifier as name, last_execution as last_run from queue_crontabs`);
