import pg from 'pg';

/** Key of the advisory lock, unique in this database. */
const LOCK = 7_201_954;

/**
 * A connection that has the lock of migrations. Another process may hold the lock for as long as its migrations take,
 * and an address may accept the connection and never answer: both waits end when `stop` is aborted.
 */
export async function lockedClient(databaseUrl: string, stop: AbortSignal | undefined): Promise<pg.Client> {
  stop?.throwIfAborted();
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'platform migrate' });
  client.on('error', () => {}); // the running statement rejects as well
  // A server that is silent would not answer the end of the connection either.
  const leave = () => void client.connection.stream.destroy();
  stop?.addEventListener('abort', leave, { once: true });
  try {
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return client;
  } catch (error) {
    client.end().catch(() => {});
    throw stop?.aborted ? stop.reason : error;
  } finally {
    stop?.removeEventListener('abort', leave);
  }
}

/** The connection goes on without the lock. */
export const releaseLock = (client: pg.Client) => client.query('select pg_advisory_unlock($1)', [LOCK]);
