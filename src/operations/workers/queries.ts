import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { component, flag, number, text, texts, timeText } from '../../http/rules/members.ts';
import { lockOf } from '../../transfers/queue/sweep.queries.ts';

/** A worker process and its running transfers. */
export const WorkerRow = z.object({
  id: text('Id of the worker.', 'node-7-1'),
  host: text('Name of the machine, or of the pod.', 'node-7'),
  node: text('Name of the machine, if `host` is a pod of Kubernetes.', 'node-7').optional(),
  pid: number('Process id.', 4711),
  labels: texts('Labels of the worker.', ['gpu=a100']),
  version: text('Version that it runs. Absent: an older one, which did not tell.', '1.0.0').optional(),
  commit: text('Commit of its source, if it is known.', 'c38fbafb').optional(),
  startedAt: timeText('Start time, UTC.'),
  alive: flag(
    'Whether the worker holds its lock; if not, it has died, and others take over its transfers within seconds.',
  ),
  draining: flag('Whether it accepts no more transfers.'),
  drainingSince: timeText('Time since which the worker has confirmed that it takes none, UTC.').optional(),
  handsOver: z
    .enum(['all', 'rest'])
    .describe(
      'It hands transfers to a Kubernetes cluster and runs none: `all`, or the `rest` that no worker could take.',
    )
    .optional(),
  concurrency: number('Maximum number of concurrent transfers.'),
  memoryMb: number('Memory of the worker in MB.', 4096),
  cores: number('CPU cores of the worker.'),
  scratchGb: number('Scratch space of the worker in GB.', 150),
  /** Flags of each running transfer. */
  runningFlags: z.array(z.array(z.string())),
  /** Number of transfers taken from the queue that have not started yet. */
  taken: z.number(),
});

const drainOf = sql.fragment`
  (d.scope = 'all' or (d.scope = 'host' and d.name in (workers.host, workers.node)) or (d.scope = 'pool' and d.name = workers.pool))`;

export const listWorkerRows = (db: Reads) =>
  db.any(sql.type(WorkerRow)`
    with running as (
      select worker_pool as pool, jsonb_agg(flags) as flags from transfers where status = 'InProgress' group by 1),
    taken as (
      select j.locked_by as pool, count(*) as transfers from queue_jobs j
      where not j.is_available and j.locked_by is not null and j.key is not null
        and j.task_id = (select id from queue_tasks where identifier = 'runTransfer')
        and not exists (select from transfers where id = j.key::uuid and status = 'InProgress')
      group by 1)
    select pool as id, host, node, pid, labels, version, commit_id as commit, started_at, exists ${lockOf('workers.pool')} as alive,
      exists (select from drains d where ${drainOf}) as draining, draining_since, hands_over, concurrency, memory_mb, cores::float8 as cores,
      scratch_gb, coalesce((select flags from running where pool = workers.pool), '[]') as running_flags,
      coalesce((select transfers from taken where pool = workers.pool), 0) as taken
    from workers order by host, started_at, pool`);

/** Whether a drain covers this worker. */
export const isDrained = (db: Reads, pool: string) =>
  db.exists(sql.unsafe`select from workers join drains d on ${drainOf} where pool = ${pool}`);

/** Records that a worker has stopped taking transfers, or takes them again. */
export const noteDraining = (tx: Transaction, pool: string, draining: boolean) =>
  tx.query(sql.unsafe`
    update workers set draining_since = case when ${draining} then coalesce(draining_since, now()) end where pool = ${pool}`);

/** A drain of all workers, of a host, or of one worker (`pool`). */
export const Drain = component('Drain', {
  scope: z.enum(['all', 'host', 'pool']).describe('Scope of the drain: `all`, a `host` or a `pool`.'),
  name: text('Name of the host or pool.', 'node-7'),
  since: timeText('Start time of the drain, UTC.'),
  accountId: text('Login id of the administrator who started the drain.', 'ann'),
});
export type Drain = z.infer<typeof Drain>;
export type DrainTarget = Pick<Drain, 'scope' | 'name'>;

export const listDrains = (db: Reads) =>
  db.any(sql.type(Drain)`select scope, name, since, account_id from drains order by scope, name`);

export const insertDrain = (tx: Transaction, { scope, name }: DrainTarget, accountId: string) =>
  tx.query(sql.unsafe`
    insert into drains (scope, name, account_id) values (${scope}, ${name}, ${accountId}) on conflict do nothing`);

/** Null if the drain does not exist. */
export const deleteDrain = (tx: Transaction, { scope, name }: DrainTarget) =>
  tx.maybeOneFirst(sql.write(z.object({ scope: z.string() }))`
    delete from drains where scope = ${scope} and name = ${name} returning scope`);

/** Pauses new work: a drain of all workers with a reason. */
export const putPause = (tx: Transaction, accountId: string, reason: string) =>
  tx.query(sql.unsafe`
    insert into drains (scope, name, account_id, reason) values ('all', '', ${accountId}, ${reason})
    on conflict (scope, name) do update set reason = excluded.reason, account_id = excluded.account_id`);

export const isWorker = (db: Reads, pool: string) => db.exists(sql.unsafe`select from workers where pool = ${pool}`);

/** Deletes drains of single workers that no longer exist. */
export const forgetDrains = (tx: Transaction) =>
  tx.query(sql.unsafe`
    delete from drains where scope = 'pool' and since < now() - interval '1 hour'
      and not exists (select from workers where pool = drains.name)`);
