import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import type { Io } from '../io.ts';

/** Applies pending migrations to the database of the settings. Several processes may do so at the same time. */
export async function migrate(io: Io, stop?: AbortSignal): Promise<void> {
  const database = await openDatabase(loadConfig(io.env), stop);
  await database.close();
  if (io.json) io.out(JSON.stringify({ applied: database.applied }));
  else io.out(database.applied.length > 0 ? `Applied ${database.applied.join(', ')}.` : 'The database is up to date.');
}
