import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { CANCELLED, PROJECT_DELETED } from '../ends/outcome.ts';
import { STATUSES } from '../queries.ts';
import { lockOf } from '../queue/sweep.queries.ts';
import { backingOff } from '../queue/waiting-requirements.queries.ts';

const HandedOver = z.object({
  transferId: z.string(),
  number: z.number(),
  /** Server and namespace of its Job. Absent: that of whoever asks. */
  cluster: z.string().optional(),
  /** Absent: the transfer waits to be handed over again. */
  ageMs: z.number().optional(),
  oomKills: z.number(),
  failures: z.number(),
  reason: z.string().optional(),
  node: z.string().optional(),
  unscheduled: z.string().optional(),
  status: z.enum(STATUSES),
  flags: z.array(z.string()),
  memoryMb: z.number(),
  /** It was claimed since it was handed over. */
  claimed: z.boolean(),
  /** Ended by a cancel, or by the deletion of its project. */
  cancelled: z.boolean(),
  /** Since its end. */
  endedMs: z.number().optional(),
  /** Worker that runs it, and its machine. */
  pool: z.string().optional(),
  host: z.string().optional(),
});
export type HandedOver = z.infer<typeof HandedOver>;

/** All transfers that are or were handed over and that nobody has forgotten. */
export const listHandedOver = (db: Reads) =>
  db.any(sql.type(HandedOver)`
    select j.transfer_id, j.number, j.cluster, (extract(epoch from now() - j.handed_over_at) * 1000)::float8 as age_ms, j.oom_kills, j.failures, j.reason,
      j.node, j.unscheduled, t.status, t.flags, t.memory_mb, t.attempt > j.attempt as claimed,
      coalesce(t.error_message in (${CANCELLED.sentence}, ${PROJECT_DELETED.sentence}), false) as cancelled,
      (extract(epoch from now() - t.finished_at) * 1000)::float8 as ended_ms,
      case when t.status = 'InProgress' then t.worker_pool end as pool, w.host
    from kubernetes_jobs j join transfers t on t.id = j.transfer_id
      left join workers w on t.status = 'InProgress' and w.pool = t.worker_pool`);

const Candidate = z.object({
  id: z.string(),
  flags: z.array(z.string()),
  memoryMb: z.number(),
  cores: z.number().optional(),
});
export type Candidate = z.infer<typeof Candidate>;

/** Clusters that a live dispatcher hands transfers to. */
export const listServedClusters = (db: Reads) =>
  db.anyFirst(sql.type(z.object({ cluster: z.string() }))`
    select distinct cluster from workers where cluster is not null and exists ${lockOf('workers.pool')}`);

/** Notes the cluster that this worker hands transfers to. */
export const noteCluster = (tx: Transaction, pool: string, cluster: string) =>
  tx.query(sql.unsafe`update workers set cluster = ${cluster} where pool = ${pool}`);

/** Hosts, and so nodes, that an operator drains. */
export const listDrainedHosts = (db: Reads) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from drains where scope = 'host' order by name`);

/** SQL condition on a row `j`: it may be handed over with these settings now. */
const mayGoOut = (settings: string) => sql.fragment`
  (j.handed_over_at is null and coalesce(j.not_before <= now(), true) and ${settings} <> all(j.failed_with))`;

/**
 * The next waiting transfers of each resource request, in the order of the queue: those that ran before, then by
 * virtual time. Leaves out those that are handed over, must not be yet, or back off after an outage.
 * @param room maximum numbers by resource request
 * @param settings hash of the dispatcher's
 */
export const listCandidates = (
  db: Reads,
  room: readonly { flags: readonly string[]; most: number }[],
  settings: string,
) =>
  db.any(sql.type(Candidate)`
    select chosen.id, chosen.flags, chosen.memory_mb, chosen.cores::float8 as cores
    from jsonb_array_elements(${sql.jsonb(room as never)}) as one (value) cross join lateral (
      select t.id, t.flags, t.memory_mb, t.cores, t.attempt, t.virtual_time
      from transfers t left join kubernetes_jobs j on j.transfer_id = t.id
      where t.status = 'Pending' and t.flags = array(select jsonb_array_elements_text(one.value -> 'flags'))
        and (j.transfer_id is null or ${mayGoOut(settings)})
        and not (${backingOff})
      order by t.virtual_time, t.id limit (one.value ->> 'most')::int) chosen
    order by chosen.attempt = 0, chosen.virtual_time, chosen.id`);

const Numbered = z.object({
  transferId: z.string(),
  number: z.number(),
  /** Since it began to wait, in seconds. Absent after a Job that failed. */
  waitedS: z.number().optional(),
});

/**
 * Notes that these transfers are handed over, before their Jobs are made, and gives the numbers of the Jobs. None for a
 * transfer that another dispatcher was faster with, or that does not wait any more.
 * @param to cluster and hash of the settings of the dispatcher
 */
export const handOver = (tx: Transaction, ids: readonly string[], to: { cluster: string; settings: string }) =>
  tx.any(sql.write(Numbered)`
    with handed as (
      insert into kubernetes_jobs as j (transfer_id, attempt, handed_over_at, cluster)
      select id, attempt, now(), ${to.cluster} from transfers where id = any(${sql.array(ids, 'uuid')}) and status = 'Pending' order by id
      on conflict (transfer_id) do update
        set number = j.number + 1, attempt = excluded.attempt, handed_over_at = now(), cluster = excluded.cluster, not_before = null,
          node = null, unscheduled = null
        where ${mayGoOut(to.settings)}
      returning transfer_id, number, failures),
    lines as (
      insert into transfer_log (transfer_id, level, message)
      select transfer_id, 'info', 'Handed to Kubernetes as Job transfer-' || transfer_id || '-' || number || '.' from handed)
    select transfer_id, number, case when failures = 0
      then extract(epoch from now() - case when t.attempt = 0 then t.created_at else t.updated_at end)::float8 end as waited_s
    from handed join transfers t on t.id = transfer_id`);

/** A Job that is given up: its transfer may be handed over again. */
export interface Withdrawal {
  transferId: string;
  number: number;
  /** Its pod was killed because it used more memory than it has. */
  oom: boolean;
  /** It ended before the transfer was claimed. */
  failed: boolean;
  /** Milliseconds until the transfer may be handed over again. */
  delayMs: number;
  /** Hash of the settings with which it is not handed over again. */
  failedWith?: string | undefined;
  /** Why the transfer waits until then. */
  reason?: string | undefined;
  /** For the log of the transfer. */
  line?: string | undefined;
}

const Withdrawn = z.object({
  transferId: z.string(),
  oomKills: z.number(),
  attempt: z.number(),
  status: z.enum(STATUSES),
  memoryMb: z.number(),
});

/** Gives Jobs up, each once, whoever else does. */
export const withdraw = (tx: Transaction, withdrawals: readonly Withdrawal[]) =>
  tx.any(sql.write(Withdrawn)`
    with given as (
      select * from jsonb_to_recordset(${sql.jsonb(withdrawals as never)}) as one (
        "transferId" uuid, number int, oom boolean, failed boolean, "delayMs" float8, "failedWith" text, reason text, line text)),
    changed as (
      update kubernetes_jobs j
      set handed_over_at = null, node = null, unscheduled = null, reason = given.reason, oom_kills = oom_kills + given.oom::int,
        failures = case when given.failed then failures + 1 else 0 end,
        not_before = now() + given."delayMs" * interval '1 millisecond',
        failed_with = case when given."failedWith" is not null then array_append(failed_with, given."failedWith")
          -- it was claimed, so these settings do
          when j.attempt < (select attempt from transfers where id = j.transfer_id) then '{}' else failed_with end
      from given where j.transfer_id = given."transferId" and j.number = given.number and j.handed_over_at is not null
      returning j.transfer_id, j.oom_kills, given.line),
    lines as (
      insert into transfer_log (transfer_id, level, message) select transfer_id, 'warning', line from changed where line is not null)
    select changed.transfer_id, oom_kills, t.attempt, t.status, t.memory_mb
    from changed join transfers t on t.id = changed.transfer_id`);

/** Lets transfers go out again that failed with these settings: what the settings do not show may have changed. */
export const forgiveFailures = (tx: Transaction, settings: string) =>
  tx.query(sql.unsafe`
    update kubernetes_jobs set failed_with = array_remove(failed_with, ${settings}) where ${settings} = any(failed_with)`);

/** Notes transfers that Kubernetes takes no Job for, with the reason. */
export const refuse = (tx: Transaction, refused: readonly { id: string; reason: string }[]) =>
  tx.query(sql.unsafe`
    insert into kubernetes_jobs as j (transfer_id, attempt, not_before, reason)
    select one.id, t.attempt, 'infinity', one.reason
    from jsonb_to_recordset(${sql.jsonb(refused as never)}) as one (id uuid, reason text) join transfers t on t.id = one.id
    on conflict (transfer_id) do update set not_before = excluded.not_before, reason = excluded.reason
      where j.handed_over_at is null`);

export interface Reasons {
  transferId: string;
  number: number;
  node: string | undefined;
  reason: string | undefined;
  unscheduled: string | undefined;
}

/** Stores where pods are, and why they do not run yet. */
export const setReasons = (tx: Transaction, reasons: readonly Reasons[]) =>
  tx.query(sql.unsafe`
    update kubernetes_jobs j set node = one.node, reason = one.reason, unscheduled = one.unscheduled
    from jsonb_to_recordset(${sql.jsonb(reasons as never)}) as one ("transferId" uuid, number int, node text, reason text, unscheduled text)
    where j.transfer_id = one."transferId" and j.number = one.number and j.handed_over_at is not null`);

/** Notes that these Jobs will run their transfers again, although those were claimed before. */
export const keep = (tx: Transaction, jobs: readonly { transferId: string; number: number }[]) =>
  tx.query(sql.unsafe`
    update kubernetes_jobs j set attempt = t.attempt, node = null
    from jsonb_to_recordset(${sql.jsonb(jobs as never)}) as one ("transferId" uuid, number int)
      join transfers t on t.id = one."transferId"
    where j.transfer_id = t.id and j.number = one.number and j.handed_over_at is not null and t.status = 'Pending'`);

/** Forgets transfers that have ended. */
export const forget = (tx: Transaction, ids: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from kubernetes_jobs j where transfer_id = any(${sql.array(ids, 'uuid')})
      and (select finished_at from transfers where id = j.transfer_id) is not null`);

/**
 * Ends the connection with the liveness lock of a worker, so that the next sweep takes over its transfers.
 * If it goes on, it writes nothing: its writes carry the number of their attempt.
 */
export const disconnectWorker = (tx: Transaction, pool: string) =>
  tx.query(sql.unsafe`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = hashtextextended(${pool}, 0)`);
