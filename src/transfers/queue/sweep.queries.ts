import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';
import { deleted, stopped } from '../run/run.queries.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** The one advisory lock of a pool, as `pg_locks` shows a key of 64 bits. */
export const lockOf = (pool: 'workers.pool' | 'transfers.worker_pool') => sql.fragment`(
  select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = hashtextextended(${sql.identifier(pool.split('.'))}, 0))`;

/**
 * One worker sweeps at a time; the others go on. Held until the transaction ends, which the server sees to when its worker is stopped in
 * the middle.
 */
export async function trySweepLock(tx: Db): Promise<boolean> {
  await tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '3s'`);
  return tx.oneFirst(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(hashtextextended('transfers sweep', 0)) as locked`);
}

/** Strikes pools off whose process holds its lock no more. */
export const removeDeadWorkers = (tx: Db) =>
  tx.anyFirst(sql.type(z.object({ pool: z.string() }))`
    delete from workers where not exists ${lockOf('workers.pool')} returning pool`);

/** Makes the queue rows of these pools anybody's. */
export const unlockJobs = (tx: Db, pools: readonly string[]) =>
  tx.query(sql.unsafe`select from graphile_worker.force_unlock_workers(${sql.array(pools, 'text')})`);

const waiting = { id: z.string(), flags: z.array(z.string()), turn: z.number() };
const Lost = z.object({
  ...waiting,
  attempt: z.number(),
  workerLosses: z.number(),
  cancelled: z.boolean(),
  projectDeleted: z.boolean(),
});

/** Takes transfers from pools that are struck off. */
export const takeFromLostWorkers = (tx: Db) =>
  tx.any(sql.type(Lost)`
    with lost as (
      update transfers set status = 'Pending', worker_pool = null, deadline = null, phase = null, updated_at = now(),
        worker_losses = worker_losses + 1
      where id in (
        select id from transfers
        where status = 'InProgress' and not exists (select from workers where pool = transfers.worker_pool)
        for update skip locked)
      returning id, flags, turn, attempt, handed_back, worker_losses, ${stopped}),
    lines as (
      insert into transfer_log (transfer_id, level, message)
      select id, 'warning', 'The worker that ran attempt ' || attempt - handed_back || ' was lost.' from lost)
    select * from lost`);

/** Ends the connection that holds the lock of each pool that sits on a transfer past its deadline; says which pools. */
export const disownStuckWorkers = (tx: Db, graceMs: number) =>
  tx.anyFirst(sql.type(z.object({ pool: z.string() }))`
    with stuck as (
      select distinct worker_pool as pool from transfers
      where status = 'InProgress' and deadline < now() - ${graceMs} * interval '1 millisecond'),
    holders as (
      select stuck.pool, pg_locks.pid from stuck join pg_locks on locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(stuck.pool, 0))
    select pool from holders where pg_terminate_backend(pid)`);

/** Transfers whose worker was asked to stop them this long ago and does not answer. */
export const listUnheardCancels = (tx: Db, patienceMs: number) =>
  tx.any(sql.type(z.object({ id: z.string(), attempt: z.number() }))`
    select id, attempt from transfers
    where status = 'InProgress' and cancel_requested_at < now() - ${patienceMs} * interval '1 millisecond'
    for update skip locked`);

/** So many waiting transfers are looked at in one go, so that a sweep of a long queue takes no longer than one of a short queue. */
const LOOKED_AT = 5000;
/** Of projects fewer: most transfers of a queue have few of them, and what is looked for here is rare. */
const PROJECTS_OF = 1000;

/** Of pending transfers all, or of a longer queue those behind a place that chance chooses. */
const somePending = (columns: Fragment, most: number): Fragment => {
  const place = randomUUID();
  const some = (where: Fragment) => sql.fragment`
    (select ${columns} from transfers where status = 'Pending' and ${where} order by id limit ${most})`;
  return sql.fragment`
    (select * from (${some(sql.fragment`id >= ${place}`)} union all ${some(sql.fragment`id < ${place}`)}) looked_at limit ${most})`;
};

/** Pending transfers of projects that are in the recycle bin or removed for ever: they became pending in the moment of the deletion. */
export const listOfDeleted = (tx: Db) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    with pending as materialized ${somePending(sql.fragment`id, project_id, source_project_id`, PROJECTS_OF)},
    project as materialized (
      select project_id as id from pending union select source_project_id from pending where source_project_id is not null),
    gone as materialized (select id from project where ${deleted(sql.fragment`project.id`)})
    select id from pending where project_id in (select id from gone) or source_project_id in (select id from gone) order by id`);

/** Pending transfers that no row of the queue will ever start. */
export const listForgotten = (tx: Db) =>
  tx.any(sql.type(z.object(waiting))`
    select id, flags, turn from ${somePending(sql.fragment`id, flags, turn`, LOOKED_AT)} transfer
    -- each looked up by itself: as a join the whole queue would be read
    where (select true from graphile_worker._private_jobs job
      where job.key = transfer.id::text and (job.attempts < job.max_attempts or job.locked_at is not null)) is null
    limit 1000`);

/** Queue rows that a pool locked after it was struck off: it was stopped, not dead, and saw its end too late. */
export const listStrangers = (tx: Db) =>
  tx.anyFirst(sql.type(z.object({ pool: z.string() }))`
    select distinct locked_by as pool from graphile_worker._private_jobs
    where not is_available and locked_by is not null and not exists (select from workers where pool = locked_by)`);

/**
 * Makes rows of the queue anybody's that this pool locked and does not run: its connection broke after it had them and before it knew, or
 * before it could say that they are done.
 */
export async function unlockUnheld(
  db: Db,
  pool: string,
  jobIds: readonly string[],
  patienceMs: number,
): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    update graphile_worker._private_jobs set locked_by = null, locked_at = null
    where not is_available and locked_by = ${pool} and locked_at < now() - ${patienceMs} * interval '1 millisecond'
      and id <> all(${sql.array(jobIds, 'int8')})`);
  return rowCount;
}

/**
 * Removes rows of transfers that were left behind for a new one (see `handBack`) by a worker that could not say any more that they are
 * done: nothing will ever run them, and they would be told of as tried in vain.
 */
export const removeLeftBehind = (tx: Db) =>
  tx.query(sql.unsafe`
    delete from graphile_worker._private_jobs
    where not is_available and locked_at is null and key is null
      and task_id = (select id from graphile_worker._private_tasks where identifier = 'runTransfer')`);

/** Pools that are not struck off. */
export const listWorkers = (db: Db) => db.anyFirst(sql.type(z.object({ pool: z.string() }))`select pool from workers`);

/** Forgets rows of the queue that were tried in vain as often as they may be, a week ago. */
export const removeSpentJobs = (db: Db) =>
  db.query(sql.unsafe`
    delete from graphile_worker._private_jobs
    where not is_available and locked_at is null and updated_at < now() - interval '7 days'`);
