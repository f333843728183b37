import { z } from 'zod';
import { sql } from '../../../db.ts';
import { enqueueTransfers } from '../../../transfers/queue/enqueue.ts';
import { sqlRule, uuids } from '../sql-rule.queries.ts';

const Waiting = z.object({ id: z.string(), flags: z.array(z.string()), virtualTime: z.number() });

const jobless = sql.fragment`
  status = 'Pending' and not exists (
    select from queue_jobs job where job.key = t.id::text and (job.attempts < job.max_attempts or job.locked_at is not null))`;

/** A waiting transfer has a row in the queue, which wakes a worker. */
export const transferJob = sqlRule(
  'transfer-job',
  sql.fragment`select id, 'The transfer waits, but no row of the queue starts it.' as message from transfers t where ${jobless}`,
  async (tx, ids) => {
    const waiting = await tx.any(sql.type(Waiting)`
      select id, flags, virtual_time from transfers t where id = any(${uuids(ids)}) and ${jobless}`);
    await enqueueTransfers(tx, waiting);
  },
);
