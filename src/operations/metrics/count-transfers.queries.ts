import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

/** Locks and returns the offset up to which events are counted. Null if another process is counting. */
export const lockPosition = (tx: Transaction) =>
  tx.maybeOneFirst(sql.write(z.object({ offset: z.number() }))`
    select "offset" from transfer_metrics_position for update skip locked`);

/** Offset of the last event of the next batch. Null if there is none. */
export const findBatchEnd = (tx: Transaction, after: number, limit: number) =>
  tx.maybeOneFirst(sql.type(z.object({ offset: z.number().optional() }))`
    select max("offset") as "offset" from (
      select "offset" from events where "offset" > ${after} order by "offset" limit ${limit}) next`);

const FINISHED = 'svc.platform.events.transferfinishedevent';

/**
 * Adds the ended transfers of these events to the counters. Wait time: from the request to the start of the last
 * attempt, or to the end of a transfer that never started. Run time: from that start to the end.
 * @param bounds upper bounds of the histogram buckets, in seconds, ascending
 */
export const addEnds = (tx: Transaction, after: number, to: number, bounds: readonly number[]) =>
  tx.query(sql.unsafe`
    with ends as (
      select t.type, coalesce(t.request ->> 'readerName', '') as reader, coalesce(t.request ->> 'writerName', '') as writer,
        case t.status when 'Completed' then 'completed' else case when t.fingerprint is null then 'cancelled' else 'failed' end end as outcome,
        extract(epoch from coalesce(t.started_at, t.finished_at) - t.created_at)::float8 as wait,
        extract(epoch from t.finished_at - t.started_at)::float8 as run,
        t.attempt - t.handed_back as attempt, t.child_deaths, t.outages, t.worker_losses
      from events e join transfers t on t.id = e.resource_id::uuid and t.finished_at is not null
        -- a transfer to another tenant emits an event in both tenants; only that of its own project counts
        and t.project_id = e.project_id
      where e."offset" > ${after} and e."offset" <= ${to} and e.type = ${FINISHED}),
    bounds as (select ${sql.array([...bounds], 'float8')} || 'infinity'::float8 as upper),
    values as (
      select e.*, v.name, v.count, v.sum, v.upper from ends e cross join bounds b cross join lateral (values
        ('wait', 1, e.wait, b.upper[width_bucket(e.wait, b.upper) + 1]),
        ('run', 1, e.run, b.upper[width_bucket(e.run, b.upper) + 1]),
        ('attempts', e.attempt, 0, 'infinity'),
        ('child_deaths', e.child_deaths, 0, 'infinity'),
        ('outages', e.outages, 0, 'infinity'),
        ('worker_losses', e.worker_losses, 0, 'infinity')) v (name, count, sum, upper)
      where v.sum is not null)
    insert into transfer_metrics as f (name, type, reader, writer, outcome, upper, count, sum)
    select name, type, reader, writer, outcome, upper, sum(count), sum(sum) from values
    group by name, type, reader, writer, outcome, upper
    on conflict (name, type, reader, writer, outcome, upper) do update
      set count = f.count + excluded.count, sum = f.sum + excluded.sum`);

export const setPosition = (tx: Transaction, offset: number) =>
  tx.query(sql.unsafe`update transfer_metrics_position set "offset" = ${offset}`);

const CounterRow = z.object({
  name: z.string(),
  type: z.string(),
  reader: z.string(),
  writer: z.string(),
  outcome: z.string(),
  upper: z.custom<number>((value) => typeof value === 'number'), // infinity, too
  count: z.number(),
  sum: z.number(),
});
export type CounterRow = z.infer<typeof CounterRow>;

export const listCounters = (db: Reads) =>
  db.any(sql.type(CounterRow)`
    select name, type, reader, writer, outcome, upper, count, sum from transfer_metrics
    order by name, type, reader, writer, outcome, upper`);
