import { hostname } from 'node:os';
import pg from 'pg';
import type { WorkerCapacity } from '../src/transfers/queue/requirements.ts';

/** A worker's row. */
export interface WorkerRecord extends WorkerCapacity {
  pool: string;
  /** Whether it takes transfers from the queue; else other workers must not wait for its capacity. */
  queued: boolean;
}

/** Liveness lock: an advisory lock on a connection of its own, which Postgres releases when the process ends. */
export interface Liveness {
  /** Resolves when the connection, and so the lock, is lost: other workers may take over its transfers. */
  lost: Promise<void>;
  /** Deletes the worker's row and releases the lock. */
  close(): Promise<void>;
}

/** With these settings Postgres notices an unreachable machine after 25 s. It notices a dead process at once. */
const KEEPALIVE = `set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set idle_session_timeout = 0; set statement_timeout = 0`;

/**
 * Takes the lock, then inserts the row in `workers`, without which no transfer can be claimed.
 * @param onNotification called with the payload of each notification on `channel`
 */
export async function takeLivenessLock(
  databaseUrl: string,
  worker: WorkerRecord,
  channel: string,
  onNotification: (payload: string) => void,
): Promise<Liveness> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'platform work: alive',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
  });
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  await client.connect();
  await client.query(KEEPALIVE);
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [worker.pool]);
  await client.query(
    `insert into workers (pool, host, pid, concurrency, memory_mb, cores, scratch_gb, labels, draining_since)
     values ($1, $2, $3, $4, $5, $6, $7, $8, case when $9 then null else now() end)`,
    [
      worker.pool,
      hostname(),
      process.pid,
      worker.concurrency,
      worker.memoryMb,
      worker.cores,
      worker.scratchGb,
      worker.labels,
      worker.queued,
    ],
  );
  await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  return {
    lost,
    async close() {
      await client.query('delete from workers where pool = $1', [worker.pool]);
      await client.end();
    },
  };
}
