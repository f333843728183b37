import type { Config } from '../../config.ts';
import { Database } from '../../db.ts';
import { openDatabase } from './database.ts';

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
