import type { Config } from '../../config.ts';
import { Database } from '../../db.ts';
import { openDatabase, openPresentDatabase, type PresentDatabase } from './database.ts';

/**
 * Runs work on the database of the settings, whether the platform runs or not. It needs no login: whoever can read the
 * data folder or the address of the database may do it.
 * @param name of the connection, as Postgres shows it
 */
export async function withDatabase<T>(
  config: Pick<Config, 'database.url' | 'database.ownerUrl' | 'data'>,
  { name, stop }: { name: string; stop: AbortSignal },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  await using open = new AsyncDisposableStack();
  const { url } = open.adopt(await openDatabase(config, stop), (database) => database.close());
  stop.throwIfAborted();
  return await work(open.adopt(new Database(url, 2, name), (db) => db.end()));
}

/** How long a check waits for a server that does not answer. */
const CONNECT_MS = 5000;

/** The same without migrations before. `work` also gets the addresses. */
export async function withPresentDatabase<T>(
  config: Pick<Config, 'database.url' | 'database.ownerUrl' | 'data'>,
  { name, stop }: { name: string; stop: AbortSignal },
  work: (db: Database, present: PresentDatabase) => Promise<T>,
): Promise<T> {
  await using open = new AsyncDisposableStack();
  const present = open.adopt(await openPresentDatabase(config), (database) => database.close());
  stop.throwIfAborted();
  return await work(
    open.adopt(new Database(present.url, 4, name, CONNECT_MS), (db) => db.end()),
    present,
  );
}
