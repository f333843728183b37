import pg from 'pg';
import type { ColumnOf, PreparedStatement } from './prepared-statement.ts';
import { PreparedQuery } from './prepared-statement.ts';

export interface PreparedPoolOptions {
  connectionString: string;
  size: number;
  columnOf: ColumnOf;
}

/** Connections for prepared statements outside of transactions: `pg` itself, which takes a fifth of the time that slonik takes. */
export interface PreparedPool {
  rows(statement: PreparedStatement): Promise<Record<string, unknown>[]>;
  connections(): { inUse: number; idle: number; awaited: number };
  end(): Promise<void>;
}

const CONNECT_MS = 10_000;
/**
 * Worth another try at once: a migration has changed a table under a prepared statement, which a new connection plans anew; or another
 * transaction was in the way (deadlock, serialisation), and this one has done nothing.
 */
const PASSING = /^(0A000|40...)$/;
const MOST_TRIES = 5;

export function openPreparedPool({ connectionString, size, columnOf }: PreparedPoolOptions): PreparedPool {
  const pool = new pg.Pool({
    connectionString,
    max: size,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: 60_000,
  });
  // a connection that breaks while nobody uses it is no longer in the pool
  pool.on('error', () => {});
  // one that is given up after an error may tell of another before it is closed
  pool.on('connect', (client) => client.on('error', () => {}));

  const ask = (statement: PreparedStatement) =>
    new Promise<Record<string, unknown>[]>((resolve, reject) => {
      pool.connect((refused, client, release) => {
        if (refused || !client) return reject(refused);
        let isDone = false;
        const broken = (error: Error) => done(error, []);
        const done = (error: Error | undefined, rows: Record<string, unknown>[]) => {
          if (isDone) return;
          isDone = true;
          client.off('error', broken);
          // a connection on which a statement failed is not used again
          release(error);
          if (error) reject(error);
          else resolve(rows);
        };
        client.once('error', broken);
        client.query(new PreparedQuery(statement, columnOf, done) as unknown as pg.Submittable);
      });
    });

  return {
    async rows(statement) {
      // each connection may have the old plan, and is not used again when it says so
      for (let tries = 1; ; tries++) {
        try {
          return await ask(statement);
        } catch (error) {
          const { code = '' } = error as { code?: string };
          if (!PASSING.test(code) || tries > MOST_TRIES + size) throw error;
        }
      }
    },
    connections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      awaited: pool.waitingCount,
    }),
    end: () => pool.end(),
  };
}
