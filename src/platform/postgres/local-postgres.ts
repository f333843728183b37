import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { markAttached } from './elsewhere.ts';
import { withFolderLock } from './folder-lock.ts';
import {
  clusterPassword,
  portOfRunning,
  START_TIMEOUT_MS,
  signalProcess,
  startServer,
  stopServer,
  USER,
} from './postgres-server.ts';

export interface LocalPostgresOptions {
  /** Postgres settings such as `{ fsync: 'off' }`. Ignored if the server runs already. */
  settings?: Record<string, string>;
}

const DATABASE = 'platform';
/** Names of keepers end with the id of their process. */
const KEEPER = 'platform keeper ';
/** How long backends may remain of clients that ended, while other processes use the server, and when none does. */
const ORDERLY_MS = 150;
const KILLED_MS = 5000;
/** Codes of a server that is starting, recovering, shutting down or not running yet. */
const TRANSIENT = new Set(['57P03', '57P01', 'ECONNREFUSED', 'ECONNRESET']);

/**
 * The embedded default database: a Postgres cluster in a folder. The first process starts the server, other processes
 * of the machine attach, and the last one to detach stops it. The server is not a child of its starter and survives it;
 * `cluster/postmaster.pid` tells where it runs.
 */
export class LocalPostgres {
  /** Connection string of the platform's database. Contains the password. */
  readonly url: string;
  readonly #home: string;
  readonly #keeper: pg.Client;
  readonly #lost = Promise.withResolvers<void>();
  #isAttached = true;

  constructor(home: string, url: string, keeper: pg.Client, unmark: () => void) {
    this.url = url;
    this.#home = home;
    this.#keeper = keeper;
    keeper.once('end', () => {
      if (this.#isAttached) this.#lost.resolve();
      this.#isAttached = false;
      unmark();
    });
  }

  /**
   * Resolves when the server ends although this process did not stop it. Does not keep the process alive. A restart
   * usually gets the same port.
   */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /**
   * Detaches, and stops the server if it has no other clients. End your own pools first. Returns whether it stopped.
   */
  stopIfIdle(): Promise<boolean> {
    return withFolderLock(this.#home, async () => {
      const idle = this.#isAttached && (await hasNoOtherClients(this.#keeper));
      await this.#detach();
      if (idle) await stopServer(this.#home);
      return idle;
    });
  }

  /** Stops the server, even if it has other clients. */
  stop(): Promise<void> {
    return withFolderLock(this.#home, async () => {
      await this.#detach();
      await stopServer(this.#home);
    });
  }

  async #detach(): Promise<void> {
    this.#isAttached = false;
    await this.#keeper.end().catch(() => {});
  }
}

/** Starts the cluster in `folder`, or attaches to it if it runs. Creates the cluster if there is none. */
export function startLocalPostgres(folder: string, options: LocalPostgresOptions = {}): Promise<LocalPostgres> {
  return withFolderLock(folder, async () => {
    const home = await realpath(folder);
    const password = await clusterPassword(home);
    const deadline = Date.now() + START_TIMEOUT_MS;
    let isOurs = false;
    for (;;) {
      const running = await portOfRunning(home);
      const port = running ?? (await startServer(home, options.settings ?? {}));
      isOurs ||= running === undefined;
      const databaseUrl = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
      try {
        const keeper = await connectKeeper(databaseUrl('postgres'));
        return new LocalPostgres(home, databaseUrl(DATABASE), keeper, await markAttached(home));
      } catch (error) {
        if (TRANSIENT.has((error as { code?: string }).code ?? '') && Date.now() <= deadline) {
          await sleep(50);
          continue;
        }
        // nobody else could attach, because this process has the lock of the folder
        if (isOurs) await stopServer(home).catch(() => {});
        throw error;
      }
    }
  });
}

/** A connection that marks the server as in use by this process, and whose end shows that the server ended. */
async function connectKeeper(url: string): Promise<pg.Client> {
  const keeper = new pg.Client({ connectionString: url, application_name: `${KEEPER}${process.pid}`, keepAlive: true });
  keeper.on('error', () => {});
  try {
    await keeper.connect();
    const { rowCount } = await keeper.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await keeper.query(`create database ${DATABASE}`);
  } catch (error) {
    keeper.end().catch(() => {});
    throw error;
  }
  (keeper as pg.Client & { unref(): void }).unref();
  return keeper;
}

/**
 * Checks repeatedly, because a backend outlives its client: by some milliseconds after an orderly end, but by seconds
 * on a busy machine if its process was killed. Without the longer patience nobody would stop the server of killed
 * processes.
 */
async function hasNoOtherClients(keeper: pg.Client): Promise<boolean> {
  const start = Date.now();
  for (;;) {
    // before the check: after a stall of this process an old check is worthless
    const waited = Date.now() - start;
    const { rows } = await keeper.query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rows.length === 0) return true;
    const patience = rows.some(({ name }) => isOfLiveProcess(name)) ? ORDERLY_MS : KILLED_MS;
    if (waited > patience) return false;
    await sleep(15);
  }
}

/** Whether this is the name of another process' keeper, and that process runs. */
function isOfLiveProcess(name: string): boolean {
  if (!name.startsWith(KEEPER)) return false;
  const pid = Number(name.slice(KEEPER.length));
  return !(pid > 0) || signalProcess(pid);
}
