import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';
import { deleted, stopped } from '../run/run.queries.ts';

/** The liveness lock of a pool: an advisory lock, whose key of 64 bits `pg_locks` shows in two columns. */
export const lockOf = (pool: 'workers.pool' | 'transfers.worker_pool') => sql.fragment`(
  select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = hashtextextended(${sql.identifier(pool.split('.'))}, 0))`;

/**
 * Tries to take the lock of the sweep until the transaction ends, so that one worker sweeps at a time. The server ends
 * the transaction of a worker that is stopped in the middle.
 */
export async function trySweepLock(tx: Transaction): Promise<boolean> {
  await tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '3s'`);
  return tx.oneFirst(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(hashtextextended('transfers sweep', 0)) as locked`);
}

/** Deletes workers whose process no longer holds its liveness lock. */
export const removeDeadWorkers = (tx: Transaction) =>
  tx.anyFirst(sql.write(z.object({ pool: z.string() }))`
    delete from workers where not exists ${lockOf('workers.pool')} returning pool`);

/** Unlocks the queue rows of these pools, so that any worker may take them. */
export const unlockJobs = (tx: Transaction, pools: readonly string[]) =>
  tx.query(sql.unsafe`select from graphile_worker.force_unlock_workers(${sql.array(pools, 'text')})`);

const waiting = { id: z.string(), flags: z.array(z.string()), virtualTime: z.number() };
const Lost = z.object({
  ...waiting,
  attempt: z.number(),
  workerLosses: z.number(),
  cancelled: z.boolean(),
  projectDeleted: z.boolean(),
});

/**
 * Makes running transfers of deleted workers wait again. Fires `transfers_counted_anew`, which fills `transfer_counts`.
 */
export const takeFromLostWorkers = (tx: Transaction) =>
  tx.any(sql.write(Lost)`
    with lost as (
      update transfers set status = 'Pending', worker_pool = null, deadline = null, phase = null, updated_at = now(),
        worker_losses = worker_losses + 1
      where id in (
        select id from transfers
        where status = 'InProgress' and not exists (select from workers where pool = transfers.worker_pool)
        for update skip locked)
      returning id, flags, virtual_time, attempt, handed_back, worker_losses, ${stopped}),
    lines as (
      insert into transfer_log (transfer_id, level, message)
      select id, 'warning', 'The worker that ran attempt ' || attempt - handed_back || ' was lost.' from lost)
    select * from lost`);

/**
 * Ends the connections that hold the liveness locks of workers with a transfer past its deadline. Returns their pools.
 */
export const disconnectStuckWorkers = (tx: Transaction, graceMs: number) =>
  tx.anyFirst(sql.type(z.object({ pool: z.string() }))`
    with stuck as (
      select distinct worker_pool as pool from transfers
      where status = 'InProgress' and deadline < now() - ${graceMs} * interval '1 millisecond'),
    holders as (
      select stuck.pool, pg_locks.pid from stuck join pg_locks on locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(stuck.pool, 0))
    select pool from holders where pg_terminate_backend(pid)`);

/** Running transfers that were cancelled this long ago and whose worker has not ended them. */
export const listUnansweredCancels = (tx: Transaction, patienceMs: number) =>
  tx.any(sql.write(z.object({ id: z.string(), attempt: z.number() }))`
    select id, attempt from transfers
    where status = 'InProgress' and cancel_requested_at < now() - ${patienceMs} * interval '1 millisecond'
    for update skip locked`);

/**
 * Maximum number of pending transfers that a sweep checks for a queue row, so that its duration does not depend on the
 * queue's length.
 */
const MAX_CHECKED = 5000;
/** Maximum number of pending transfers whose projects a sweep checks. */
const MAX_PROJECTS_CHECKED = 1000;

/** All pending transfers, or a random sample of `limit` of them: those after a random id. */
const samplePending = (columns: Fragment, limit: number): Fragment => {
  const start = randomUUID();
  const some = (where: Fragment) => sql.fragment`
    (select ${columns} from transfers where status = 'Pending' and ${where} order by id limit ${limit})`;
  return sql.fragment`
    (select * from (${some(sql.fragment`id >= ${start}`)} union all ${some(sql.fragment`id < ${start}`)}) sample limit ${limit})`;
};

/**
 * Pending transfers of deleted projects. The deletion ended those that waited; these became pending at the same moment.
 */
export const listPendingOfDeleted = (tx: Transaction) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    with pending as materialized ${samplePending(sql.fragment`id, project_id, source_project_id`, MAX_PROJECTS_CHECKED)},
    project as materialized (
      select project_id as id from pending union select source_project_id from pending where source_project_id is not null),
    gone as materialized (select id from project where ${deleted(sql.fragment`project.id`)})
    select id from pending where project_id in (select id from gone) or source_project_id in (select id from gone) order by id`);

/**
 * Pending transfers without a queue row that could start them. The sample is ids of an index alone: ids are random, so
 * each row of it lies in another page, and reading them all costs as much as a scan of the table.
 */
export const listUnqueued = (tx: Transaction) =>
  tx.any(sql.type(z.object(waiting))`
    with pending as materialized ${samplePending(sql.fragment`id`, MAX_CHECKED)},
    unqueued as materialized (
      select id from pending
      -- a subquery per transfer uses the index; a join would read the whole queue
      where (select true from queue_jobs job
        where job.key = pending.id::text and (job.attempts < job.max_attempts or job.locked_at is not null)) is null
      limit 1000)
    select id, flags, virtual_time from transfers join unqueued using (id)`);

/** Pools that lock queue rows but are not registered: a stopped process that continued after its worker was deleted. */
export const listUnknownPools = (tx: Transaction) =>
  tx.anyFirst(sql.type(z.object({ pool: z.string() }))`
    select distinct locked_by as pool from queue_jobs
    where not is_available and locked_by is not null and not exists (select from workers where pool = locked_by)`);

/**
 * Unlocks queue rows that this pool locked but does not run: its connection broke before it received them, or before it
 * could report them as done. Returns their number.
 */
export async function unlockUnheld(
  tx: Transaction,
  pool: string,
  jobIds: readonly string[],
  patienceMs: number,
): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    update queue_jobs set locked_by = null, locked_at = null
    where not is_available and locked_by = ${pool} and locked_at < now() - ${patienceMs} * interval '1 millisecond'
      and id <> all(${sql.array(jobIds, 'int8')})`);
  return rowCount;
}

/**
 * Deletes queue rows that `handBack` replaced and that their worker could no longer delete. They can never run, and
 * would be listed as failed jobs.
 */
export const removeOrphanedJobs = (tx: Transaction) =>
  tx.query(sql.unsafe`
    delete from queue_jobs
    where not is_available and locked_at is null and key is null
      and task_id = (select id from queue_tasks where identifier = 'runTransfer')`);

/** Pools of registered workers. */
export const listWorkers = (db: Reads) =>
  db.anyFirst(sql.type(z.object({ pool: z.string() }))`select pool from workers`);

/** Deletes queue rows that used up their attempts a week ago. */
export const removeExhaustedJobs = (tx: Transaction) =>
  tx.query(sql.unsafe`
    delete from queue_jobs
    where not is_available and locked_at is null and updated_at < now() - interval '7 days'`);
