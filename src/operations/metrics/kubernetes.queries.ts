import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

const JobCount = z.object({ state: z.enum(['waiting', 'starting', 'running', 'held']), count: z.number() });

/** Transfers that are handed to Kubernetes, or are held back from it, by state. */
export const countClusterJobs = (db: Reads) =>
  db.any(sql.type(JobCount)`
    select case when j.handed_over_at is null then 'held' when t.status = 'InProgress' then 'running' when j.node is null then 'waiting'
      else 'starting' end as state, count(*) as count
    from kubernetes_jobs j join transfers t on t.id = j.transfer_id
    where t.finished_at is null and (j.handed_over_at is not null or (t.status = 'Pending' and j.reason is not null)) group by 1`);

const CountedRow = z.object({
  name: z.enum(['handover', 'calls', 'failures']),
  labels: z.record(z.string(), z.string()),
  upper: z.custom<number>((value) => typeof value === 'number'), // infinity, too
  count: z.number(),
  sum: z.number(),
});

/** What dispatchers have counted. */
export const listDispatchCounts = (db: Reads) =>
  db.any(
    sql.type(CountedRow)`select name, labels, upper, count, sum from kubernetes_metrics order by name, labels, upper`,
  );
