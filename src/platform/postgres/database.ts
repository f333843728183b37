import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { LocalPostgres } from './local-postgres.ts';
import { startLocalPostgres } from './local-postgres.ts';
import { migrate } from './migrate.ts';

/** The platform's database as a process uses it: migrated, and kept running if it is the embedded one. */
export interface OpenDatabase {
  /** For `connect`; it holds the password. */
  url: string;
  /** Names of the migrations that this call applied. */
  applied: string[];
  /** Resolves if the embedded database had to move to another port, so that `url` leads nowhere: the process must start anew. */
  moved: Promise<void>;
  /** Lets go of it; the last process that does stops the embedded one. End your own pools first. */
  close(): Promise<void>;
}

const TRY_AGAIN_AFTER_MS = 1000;

/**
 * The database of these settings: the one of `DATABASE_URL`, else the embedded one of the data folder, which is started if it
 * does not run and started again when it dies. Pending migrations are applied; when several processes come at once, one works and the
 * others wait.
 */
export async function openDatabase(config: Pick<Config, 'database.url' | 'data'>): Promise<OpenDatabase> {
  const given = config['database.url'];
  if (given !== undefined) {
    return { url: given, applied: await migrate(given), moved: new Promise(() => {}), close: async () => {} };
  }
  const folder = join(config.data, 'postgres');
  const server = await startLocalPostgres(folder);
  try {
    const applied = await migrate(server.url);
    return { url: server.url, applied, ...keepRunning(folder, server) };
  } catch (error) {
    await server.stopIfIdle();
    throw error;
  }
}

function keepRunning(folder: string, first: LocalPostgres): Pick<OpenDatabase, 'moved' | 'close'> {
  const moved = Promise.withResolvers<void>();
  let closed = false;
  let current = Promise.resolve(first);
  const watch = async (server: LocalPostgres) => {
    if (server.url !== first.url) moved.resolve();
    await server.lost;
    if (closed) return;
    current = startUntil(folder, () => closed);
    await current.then(watch, () => {});
  };
  void watch(first);
  return {
    moved: moved.promise,
    async close() {
      closed = true;
      const server = await current.catch(() => undefined);
      await server?.stopIfIdle();
    },
  };
}

async function startUntil(folder: string, givenUp: () => boolean): Promise<LocalPostgres> {
  for (;;) {
    try {
      return await startLocalPostgres(folder);
    } catch (error) {
      if (givenUp()) throw error;
      await sleep(TRY_AGAIN_AFTER_MS);
    }
  }
}
