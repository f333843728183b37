import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

const LastRun = z.object({ name: z.string(), lastRun: z.string().optional() });

/** When each job of the clock was last put into the queue; what no worker has known yet has no row. */
export const listLastRuns = (db: Db) =>
  db.any(sql.type(LastRun)`
    select identifier as name, last_execution as last_run from graphile_worker._private_known_crontabs`);
