import type pg from 'pg';
import { openPool } from './pool.ts';
import { type ColumnOf, PreparedQuery, type PreparedStatement } from './prepared-statement.ts';

export interface PreparedPoolOptions {
  connectionString: string;
  size: number;
  columnOf: ColumnOf;
}

/**
 * Connections for prepared statements outside of transactions. Uses `pg` directly, which takes a fifth of slonik's
 * time.
 */
export interface PreparedPool {
  rows(statement: PreparedStatement): Promise<Record<string, unknown>[]>;
  connections(): { inUse: number; idle: number; awaited: number };
  end(): Promise<void>;
}

/**
 * For a connection. A server that is not there refuses at once; one on a busy machine may need seconds to start a
 * backend.
 */
export const CONNECT_MS = 20_000;
/**
 * SQLSTATEs that a retry on another connection can mend: a migration changed the result type of a cached plan (0A000),
 * or deadlock and serialization failure (class 40). The failed statement had no effect.
 */
const TRANSIENT = /^(0A000|40...)$/;
const MAX_RETRIES = 5;

export function openPreparedPool({ connectionString, size, columnOf }: PreparedPoolOptions): PreparedPool {
  const pool = openPool({
    connectionString,
    max: size,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: 60_000,
  });

  const execute = (statement: PreparedStatement) =>
    new Promise<Record<string, unknown>[]>((resolve, reject) => {
      pool.connect((refused, client, release) => {
        if (refused || !client) return reject(refused);
        let isDone = false;
        const broken = (error: Error) => done(error, []);
        const done = (error: Error | undefined, rows: Record<string, unknown>[]) => {
          if (isDone) return;
          isDone = true;
          client.off('error', broken);
          // with an error, the pool closes the connection
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
      // every connection of the pool may have the outdated plan; it is closed when its statement fails
      for (let tries = 1; ; tries++) {
        try {
          return await execute(statement);
        } catch (error) {
          const { code = '' } = error as { code?: string };
          if (!TRANSIENT.test(code) || tries > MAX_RETRIES + size) throw error;
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
