import { hostname } from 'node:os';
import pg from 'pg';
import { readBuild } from '../src/platform/telemetry/build.ts';
import {
  deleteWorker,
  insertWorker,
  keepConnection,
  listClaims,
  listen,
  lockPool,
  type WorkerRecord,
} from './liveness.queries.ts';

/** Sums over the running workers of a host. */
export interface HostClaims {
  workers: number;
  memoryMb: number;
  cores: number;
}

/**
 * Liveness lock: an advisory lock on a connection of its own, which Postgres releases when the process ends, and the
 * row in `workers`, without which no transfer can be claimed.
 */
export class Liveness {
  readonly #client: pg.Client;
  /** Id of this worker. */
  readonly pool: string;
  /** Resolves when the connection, and so the lock, is lost: other workers may take over its transfers. */
  readonly lost: Promise<void>;
  /** Sums of the resources that all workers of this host claim, this one included. */
  readonly claims: HostClaims;

  private constructor(client: pg.Client, pool: string, lost: Promise<void>, claims: HostClaims) {
    this.#client = client;
    this.pool = pool;
    this.lost = lost;
    this.claims = claims;
  }

  /**
   * Takes the lock, then inserts the row.
   * @param onNotification called with the payload of each notification on `channel`
   */
  static async take(
    databaseUrl: string,
    worker: WorkerRecord & { host: string | undefined },
    channel: string,
    onNotification: (payload: string) => void,
  ): Promise<Liveness> {
    const host = worker.host ?? hostname();
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
    try {
      await client.connect();
      await keepConnection(client);
      await lockPool(client, worker.pool);
      await insertWorker(client, { ...worker, host, pid: process.pid, build: readBuild() });
      await listen(client, channel);
      const { rows } = await listClaims(client, host);
      const [{ workers, memory, cores }] = rows as [(typeof rows)[number]];
      return new Liveness(client, worker.pool, lost, { workers, memoryMb: memory, cores });
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  }

  /** Deletes the worker's row and releases the lock. */
  async close(): Promise<void> {
    await deleteWorker(this.#client, this.pool);
    await this.#client.end();
  }
}
