import pg from 'pg';

/**
 * A pool whose broken connections do not end the process: `pg` emits an `error` event for each, also while the pool
 * closes it, and an `error` event without a listener ends the process.
 * @param onBroken called when a connection breaks that is not in use; the pool removes it
 */
export function openPool(options: pg.PoolConfig, onBroken: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool(options);
  pool.on('error', onBroken);
  // the statement of a connection in use rejects as well
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** The connection string with session settings: application name, time zone UTC, and `more` options. */
export function withOptions(url: string, applicationName: string, more = ''): string {
  const parsed = new URL(url);
  parsed.searchParams.set('application_name', applicationName);
  parsed.searchParams.set('options', `-c timezone=UTC ${more}`.trim());
  return parsed.href;
}
