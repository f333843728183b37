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
