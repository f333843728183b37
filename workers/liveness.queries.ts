import pg from 'pg';
import type { Build } from '../src/platform/telemetry/build.ts';
import type { WorkerCapacity } from '../src/transfers/queue/requirements.ts';

/** A worker's row. */
export interface WorkerRecord extends WorkerCapacity {
  pool: string;
  /** Whether it takes transfers from the queue; else other workers must not wait for its capacity. */
  queued: boolean;
  /** It hands transfers to a Kubernetes cluster, and runs none. */
  handsOver?: 'all' | 'rest' | undefined;
  /** Machine that it runs on, if its host is a pod. */
  node: string | undefined;
}

/** Lets Postgres notice an unreachable machine after 25 s; it notices a dead process at once. */
export const keepConnection = (client: pg.Client) =>
  client.query(`set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
    set idle_session_timeout = 0; set statement_timeout = 0`);

/** Takes the advisory lock of a pool, for as long as the connection lasts. */
export const lockPool = (client: pg.Client, pool: string) =>
  client.query('select pg_advisory_lock(hashtextextended($1, 0))', [pool]);

export const insertWorker = (client: pg.Client, worker: WorkerRecord & { host: string; pid: number; build: Build }) =>
  client.query(
    `insert into workers (pool, host, pid, concurrency, memory_mb, cores, scratch_gb, labels, draining_since, hands_over, node,
       version, commit_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, case when $9 then null else now() end, $10, $11, $12, $13)`,
    [
      worker.pool,
      worker.host,
      worker.pid,
      worker.concurrency,
      worker.memoryMb,
      worker.cores,
      worker.scratchGb,
      worker.labels,
      worker.queued,
      worker.handsOver ?? null,
      worker.node ?? null,
      worker.build.version,
      worker.build.commit ?? null,
    ],
  );

/** Sums of the resources that the workers of a host claim. */
export const listClaims = (client: pg.Client, host: string) =>
  client.query<{ workers: number; memory: number; cores: number }>(
    `select count(*)::int as workers, sum(memory_mb)::float8 as memory, sum(cores)::float8 as cores
     from workers w where host = $1 and exists (
       select from pg_locks l where l.locktype = 'advisory' and l.granted
         and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(w.pool, 0))`,
    [host],
  );

export const deleteWorker = (client: pg.Client, pool: string) =>
  client.query('delete from workers where pool = $1', [pool]);

export const listen = (client: pg.Client, channel: string) => client.query(`listen ${pg.escapeIdentifier(channel)}`);
