import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

const flags = z.array(z.string());

/** The first waiting transfer among those with equal flags. */
const Head = z.object({ id: z.string(), virtualTime: z.number(), attempt: z.number(), waitedMs: z.number() });
/** Flags of waiting transfers; without a head all of them back off. */
const NeedsRow = z.object({ flags, head: Head.optional() });

/**
 * A transfer `t` backs off after an outage. A scalar subquery uses the index; for `exists` the planner may read the
 * whole queue.
 */
export const backingOff = sql.fragment`outages > 0 and coalesce((
  select job.run_at > now() from queue_jobs job where job.key = t.id::text), false)`;

/**
 * The distinct flags of waiting transfers, each with its first transfer that does not back off. A loose index scan: one
 * lookup per combination of flags, not per transfer.
 */
export const listWaiting = (db: Reads) =>
  db.any(sql.type(NeedsRow)`
    with recursive needs as (
      (select flags from transfers where status = 'Pending' order by flags limit 1)
      union all
      select next.flags from needs cross join lateral (
        select flags from transfers where status = 'Pending' and flags > needs.flags order by flags limit 1) next)
    select flags, (
      select json_build_object('id', id, 'virtualTime', virtual_time, 'attempt', attempt, 'waitedMs', extract(epoch from now() - updated_at) * 1000)
      from transfers t where status = 'Pending' and t.flags = needs.flags and not (${backingOff}) order by virtual_time, id limit 1) as head
    from needs`);

const Live = z.object({
  pool: z.string(),
  labels: z.array(z.string()),
  memoryMb: z.number(),
  cores: z.number(),
  scratchGb: z.number(),
  concurrency: z.number(),
  reservedFor: z.string().optional(),
  draining: z.boolean(),
  running: z.array(z.object({ id: z.string(), flags })),
});

/** Workers that run transfers themselves, with those that they run. */
export const listLiveWorkers = (db: Reads) =>
  db.any(sql.type(Live)`
    select pool, labels, memory_mb, cores::float8 as cores, scratch_gb, concurrency, reserved_for,
      draining_since is not null as draining,
      coalesce((select json_agg(json_build_object('id', id, 'flags', flags)) from transfers
        where status = 'InProgress' and worker_pool = pool), '[]') as running
    from workers where hands_over is null order by started_at, pool`);

const Pause = z.object({
  since: z.string(),
  accountId: z.string(),
  /** Empty: none was given. */
  reason: z.string(),
});
export type Pause = z.infer<typeof Pause>;

/** The pause of new work by an administrator, if there is one. */
export const findPause = (db: Reads) =>
  db.maybeOne(sql.type(Pause)`
    select since, account_id, reason from drains where scope = 'all' and reason is not null`);

export interface WaitingRequirements {
  flags: readonly string[];
  reason?: string | undefined;
}

/** Replaces the rows of `waiting_requirements`; writes only rows that differ. */
export const setWaitingRequirements = (tx: Transaction, needs: readonly WaitingRequirements[]) =>
  tx.query(sql.unsafe`
    with given as (
      select array(select jsonb_array_elements_text(value -> 'flags')) as flags, value ->> 'reason' as reason
      from jsonb_array_elements(${sql.jsonb(needs as never)}) as value),
    gone as (delete from waiting_requirements w where not exists (select from given where given.flags = w.flags))
    insert into waiting_requirements as w (flags, reason) select flags, reason from given
    on conflict (flags) do update set reason = excluded.reason where w.reason is distinct from excluded.reason`);

/** Sets which transfer each worker keeps its resources free for; none for workers that are not listed. */
export const setHolds = (tx: Transaction, holds: readonly { pool: string; id: string }[]) =>
  tx.query(sql.unsafe`
    update workers set reserved_for = held.id
    from workers w left join jsonb_to_recordset(${sql.jsonb(holds as never)}) as held (pool text, id uuid) on held.pool = w.pool
    where workers.pool = w.pool and workers.reserved_for is distinct from held.id`);
