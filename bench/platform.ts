import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { buildApp } from '../src/app.ts';
import type { BlobStore } from '../src/blobs/blobs.ts';
import { DiskStore } from '../src/blobs/disk.ts';
import { loadConfig } from '../src/config.ts';
import { Database } from '../src/db.ts';
import type { App } from '../src/http/route.ts';
import { startLocalPostgres } from '../src/platform/postgres/local-postgres.ts';
import { migrate } from '../src/platform/postgres/migrate.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';

const POOL = 10;
const PASSWORD = 'Correct-horse-77';

/** The API in this process, with a fresh database and one administrator who owns a tenant. */
export interface BenchPlatform {
  app: App;
  databaseUrl: string;
  blobs: BlobStore;
  /** Plain connections to the same database. */
  pool: pg.Pool;
  tenantId: string;
  userId: string;
  /** Authorization of the administrator. */
  headers: Record<string, string>;
  /** Authorization of another account. Sets its password to the administrator's. */
  headersOf(accountId: string): Promise<Record<string, string>>;
  port(): Promise<number>;
  /**
   * Baseline: a Fastify route that runs these statements, unprepared, through pg and returns the rows of the last one.
   */
  peer(statements: readonly Statement[]): Promise<{ port: number; close(): Promise<void> }>;
}

export interface Statement {
  text: string;
  values: readonly unknown[];
}

/** Settings without limits of requests per caller: the clients of a benchmark are one. */
export const UNLIMITED = {
  PLATFORM_LIMITS_RATE: 'off',
  PLATFORM_LIMITS_CONCURRENT: '0',
  PLATFORM_LIMITS_HEAVY_RATE: 'off',
  PLATFORM_LIMITS_HEAVY_CONCURRENT: '0',
};

/** @param settings environment variables */
export async function withPlatform(
  work: (platform: BenchPlatform) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const server = await startLocalPostgres(join(folder, 'postgres'));
  await migrate(server.url);
  const db = new Database(server.url, POOL);
  const blobs = await DiskStore.open(join(folder, 'blobs'));
  const app = await buildApp({
    config: loadConfig({ ...UNLIMITED, ...settings }),
    db,
    databaseUrl: server.url,
    blobs,
    log: pino(pino.destination('/dev/null')),
  });
  const pool = new pg.Pool({ connectionString: server.url, max: POOL });
  let listening: Promise<string> | undefined;
  async function headersOf(id: string): Promise<Record<string, string>> {
    await pool.query(
      'update accounts set password_hash = (select password_hash from accounts where id = $1) where id = $2',
      ['bench', id],
    );
    const answer = await app.inject({ method: 'POST', url: '/api/tokens', payload: { id, password: PASSWORD } });
    return { authorization: `Bearer ${answer.json().accessToken.token}` };
  }
  try {
    const { userId, tenantId } = await bootstrap(db, { accountId: 'bench', password: PASSWORD });
    await work({
      app,
      databaseUrl: server.url,
      blobs,
      pool,
      tenantId,
      userId,
      headers: await headersOf('bench'),
      headersOf,
      async port() {
        listening ??= app.listen({ port: 0 });
        return portOf(await listening);
      },
      async peer(statements) {
        const bare = Fastify();
        bare.get('/*', async () => {
          let rows: unknown[] = [];
          for (const { text, values } of statements) ({ rows } = await pool.query(text, [...values]));
          return rows;
        });
        return { port: portOf(await bare.listen({ port: 0 })), close: () => bare.close() };
      },
    });
  } finally {
    await app.close();
    await Promise.all([db.end(), pool.end()]);
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

const portOf = (address: string) => Number(new URL(address).port);

/** Runs `work` twice and returns the SQL statements of the second run, with warm caches. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  await work();
  const seen: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, second] = args as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
    seen.push(
      typeof first === 'string'
        ? { text: first, values: second ?? [] }
        : { text: first.text, values: first.values ?? [] },
    );
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return seen;
}
