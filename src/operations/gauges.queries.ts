import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** Rows of the queue that are alike. */
const QueuePart = z.object({
  task: z.string(),
  flags: z.array(z.string()),
  state: z.enum(['waiting', 'delayed', 'running', 'spent']),
  count: z.number(),
  /** Seconds since the oldest of them was asked for. */
  age: z.number(),
});
export type QueuePart = z.infer<typeof QueuePart>;

/** One scan, whatever its length: the rows are grouped before their flags are taken apart. */
export const listQueueParts = (db: Db) =>
  db.any(sql.type(QueuePart)`
    select k.identifier as task, array(select jsonb_object_keys(coalesce(q.flags, '{}')) order by 1) as flags, q.state, q.count,
      extract(epoch from now() - q.oldest)::float8 as age
    from (
      select task_id, flags, count(*) as count, min(created_at) as oldest,
        case when locked_at is not null then 'running' when attempts >= max_attempts then 'spent' when run_at > now() then 'delayed'
          else 'waiting' end as state
      from graphile_worker._private_jobs group by 1, 2, 5) q
    join graphile_worker._private_tasks k on k.id = q.task_id`);

const Lags = z.object({
  /** Seconds; absent where nothing waits. */
  oldestTransfer: z.number().optional(),
  unpublished: z.number(),
  oldestUnpublished: z.number().optional(),
  deliveriesDue: z.number(),
  deliveriesLater: z.number(),
  oldestDelivery: z.number().optional(),
  webhooksFailing: z.number(),
});

const seconds = (since: ReturnType<typeof sql.fragment>) =>
  sql.fragment`extract(epoch from now() - (${since}))::float8`;

/** How long what waits longest has waited, and how many events have not gone out. */
export const getLags = (db: Db) =>
  db.one(sql.type(Lags)`
    select
      ${seconds(sql.fragment`select created_at from transfers where finished_at is null and status = 'Pending' order by created_at limit 1`)}
        as oldest_transfer,
      (select count(*) from events where "offset" is null) as unpublished,
      ${seconds(sql.fragment`select min(time) from events where "offset" is null`)} as oldest_unpublished,
      d.due as deliveries_due, d.later as deliveries_later, ${seconds(sql.fragment`d.oldest`)} as oldest_delivery,
      (select count(*) from webhooks where failing) as webhooks_failing
    from (
      select count(*) filter (where next_at <= now() or worker is not null) as due,
        count(*) filter (where next_at > now() and worker is null) as later, min(created_at) as oldest
      from deliveries where state = 'Pending') d`);

const Order = z.object({ count: z.number() });

/** Orders to try failures again that are being followed. */
export const countOrders = (db: Db) =>
  db.oneFirst(sql.type(Order)`select count(*) from mass_retries where state = 'Running'`);
