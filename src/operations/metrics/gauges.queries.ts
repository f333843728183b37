import { z } from 'zod';
import { type Fragment, type Reads, sql } from '../../db.ts';
import { TRANSFER_PRIORITIES } from '../../transfers/queue/enqueue.ts';
import { TRANSFER } from '../../transfers/queue/requirements.ts';

/** Number of jobs with the same task, flags and state. */
const QueuePart = z.object({
  task: z.string(),
  flags: z.array(z.string()),
  state: z.enum(['waiting', 'delayed', 'running', 'spent']),
  count: z.number(),
  /** Age of the oldest one in seconds. Absent for waiting transfers. */
  age: z.number().optional(),
});
export type QueuePart = z.infer<typeof QueuePart>;

const sorted = (flags: Fragment) => sql.fragment`array(select flag from ${flags} flag order by 1)`;

/**
 * Counts jobs without reading the whole queue. Everything but waiting transfers is in small parts of the queue's
 * indexes. Waiting transfers are counted by an index-only scan of pending `transfers`, minus those whose queue row is
 * delayed, spent, or taken by a worker.
 */
export const listQueueParts = (db: Reads) =>
  db.any(sql.type(QueuePart)`
    with apart as materialized (
      select task_id, key, flags, created_at, case when locked_at is null then 'spent' else 'running' end as state
      from queue_jobs where not is_available
      union all
      select task_id, key, flags, created_at, case when run_at > now() then 'delayed' else 'waiting' end
      from queue_jobs where is_available and priority <= 0
      union all
      select task_id, key, flags, created_at, 'delayed'
      from queue_jobs where is_available and priority = any(${sql.array(TRANSFER_PRIORITIES, 'int2')}) and run_at > now()),
    pending as (
      select flags, count(*) as count from transfers where status = 'Pending' group by flags
      union all
      select t.flags, -1 from apart join transfers t on t.id = apart.key::uuid
      where apart.task_id = (select id from queue_tasks where identifier = 'runTransfer') and t.status = 'Pending')
    select k.identifier as task, ${sorted(sql.fragment`jsonb_object_keys(coalesce(flags, '{}'))`)} as flags, state, count,
      extract(epoch from now() - oldest)::float8 as age
    from (select task_id, flags, state, count(*) as count, min(created_at) as oldest from apart group by 1, 2, 3) a
      join queue_tasks k on k.id = task_id
    union all
    select 'runTransfer', ${sorted(sql.fragment`unnest(array[${TRANSFER}] || flags)`)}, 'waiting', sum(count)::bigint, null
    from pending group by flags having sum(count) > 0`);

const Lags = z.object({
  /** Age in seconds. Absent if nothing waits. */
  oldestTransfer: z.number().optional(),
  unpublished: z.number(),
  oldestUnpublished: z.number().optional(),
  deliveriesDue: z.number(),
  deliveriesLater: z.number(),
  oldestDelivery: z.number().optional(),
  webhooksFailing: z.number(),
  webhooksDisabled: z.number(),
});

const seconds = (since: Fragment) => sql.fragment`extract(epoch from now() - (${since}))::float8`;

/** Ages of the oldest waiting transfer, event and delivery, and numbers of waiting events and deliveries. */
export const getLags = (db: Reads) =>
  db.one(sql.type(Lags)`
    select
      ${seconds(sql.fragment`select created_at from transfers where finished_at is null and status = 'Pending' order by created_at limit 1`)}
        as oldest_transfer,
      (select count(*) from events where "offset" is null) as unpublished,
      ${seconds(sql.fragment`select min(time) from events where "offset" is null`)} as oldest_unpublished,
      d.due as deliveries_due, d.later as deliveries_later, ${seconds(sql.fragment`d.oldest`)} as oldest_delivery,
      (select count(*) from webhooks where failing_since is not null and disabled_at is null) as webhooks_failing,
      (select count(*) from webhooks where disabled_at is not null) as webhooks_disabled
    from (
      select count(*) filter (where next_at <= now() or worker is not null) as due,
        count(*) filter (where next_at > now() and worker is null) as later, min(created_at) as oldest
      from deliveries where state = 'Pending') d`);

const Count = z.object({ count: z.number() });

/** Number of running mass retries. */
export const countMassRetries = (db: Reads) =>
  db.oneFirst(sql.type(Count)`select count(*) from mass_retries where state = 'Running'`);
