import { hostname } from 'node:os';
import pg from 'pg';
import type { Equipment } from '../src/transfers/queue/needs.ts';

/** A worker as others see it. */
export interface WorkerRecord extends Equipment {
  pool: string;
}

/** A process's word that it lives: an advisory lock on a connection of its own, which ends with it. */
export interface Liveness {
  /** Resolves when the connection is gone, and with it the lock: others may take over what this process holds. */
  lost: Promise<void>;
  /** Strikes the pool off and lets go of the lock. */
  close(): Promise<void>;
}

/** A machine that vanished is noticed by the server after 25 s; a process that died, at once. */
const KEEPALIVE = `set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set idle_session_timeout = 0; set statement_timeout = 0`;

/**
 * Takes the lock first and then a row in `workers`, without which no transfer can be claimed.
 * @param hear is called with the payload of each notification on `channel`
 */
export async function proveLife(
  databaseUrl: string,
  worker: WorkerRecord,
  channel: string,
  hear: (payload: string) => void,
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
  client.on('notification', ({ payload }) => hear(payload ?? ''));
  await client.connect();
  await client.query(KEEPALIVE);
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [worker.pool]);
  await client.query(
    `insert into workers (pool, host, pid, concurrency, memory_mb, cores, scratch_gb, labels)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      worker.pool,
      hostname(),
      process.pid,
      worker.concurrency,
      worker.memoryMb,
      worker.cores,
      worker.scratchGb,
      worker.labels,
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
