import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withFolderLock } from './folder-lock.ts';
import {
  clusterPassword,
  portOfRunning,
  START_AGAIN_FOR_MS,
  startServer,
  stopServer,
  USER,
} from './postgres-server.ts';

/**
 * The embedded default database: one Postgres cluster in a folder. Whoever comes first starts it, every other process of
 * the machine attaches, and the last one that lets go stops it. The server runs on its own, so that the death of the process
 * that started it harms nobody; it is found again by Postgres' own `cluster/postmaster.pid`.
 */
export interface LocalPostgres {
  /** Connection string of the platform's database; it holds the password. */
  url: string;
  /** Resolves when the server went away without this process asking; does not keep the process alive. Starting again usually finds the same port. */
  lost: Promise<void>;
  /** Lets go of the server and stops it when nobody else is connected; end your own pools first. Tells whether it stopped. */
  stopIfIdle(): Promise<boolean>;
  /** Stops the server, whoever is connected. */
  stop(): Promise<void>;
}

export interface LocalPostgresOptions {
  /** Postgres settings, heeded only if this call starts the server: `{ fsync: 'off' }`. */
  settings?: Record<string, string>;
}

const DATABASE = 'platform';
/** Starting up or recovering, refused, broken off: a server that is not there at this moment. */
const NOT_NOW = new Set(['57P03', '57P01', 'ECONNREFUSED', 'ECONNRESET']);

/** Starts the cluster in `folder`, making it if there is none, or attaches to it if it runs. */
export function startLocalPostgres(folder: string, options: LocalPostgresOptions = {}): Promise<LocalPostgres> {
  return withFolderLock(folder, async () => {
    const home = await realpath(folder);
    const password = await clusterPassword(home);
    const deadline = Date.now() + START_AGAIN_FOR_MS;
    for (;;) {
      const port = (await portOfRunning(home)) ?? (await startServer(home, options.settings ?? {}));
      const urlOf = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
      try {
        return attached(home, urlOf(DATABASE), await connectKeeper(urlOf('postgres')));
      } catch (error) {
        if (!NOT_NOW.has((error as { code?: string }).code ?? '') || Date.now() > deadline) throw error;
        await sleep(50);
      }
    }
  });
}

/** A connection of its own shows the other processes that the server is used, and this one when it goes away. */
async function connectKeeper(url: string): Promise<pg.Client> {
  const keeper = new pg.Client({ connectionString: url, application_name: 'platform keeper', keepAlive: true });
  keeper.on('error', () => {});
  await keeper.connect();
  const { rowCount } = await keeper.query('select from pg_database where datname = $1', [DATABASE]);
  if (rowCount === 0) await keeper.query(`create database ${DATABASE}`);
  (keeper as pg.Client & { unref(): void }).unref();
  return keeper;
}

function attached(home: string, url: string, keeper: pg.Client): LocalPostgres {
  const lost = Promise.withResolvers<void>();
  let here = true;
  keeper.once('end', () => {
    if (here) lost.resolve();
    here = false;
  });
  const letGo = async () => {
    here = false;
    await keeper.end().catch(() => {});
  };
  return {
    url,
    lost: lost.promise,
    stopIfIdle: () =>
      withFolderLock(home, async () => {
        const idle = here && (await nobodyElse(keeper));
        await letGo();
        if (idle) await stopServer(home);
        return idle;
      }),
    stop: () =>
      withFolderLock(home, async () => {
        await letGo();
        await stopServer(home);
      }),
  };
}

/** A backend outlives its client by a moment, hence the second look. */
async function nobodyElse(keeper: pg.Client): Promise<boolean> {
  for (let look = 0; look < 10; look++) {
    const { rowCount } = await keeper.query(
      `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rowCount === 0) return true;
    await sleep(15);
  }
  return false;
}
