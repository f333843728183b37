import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { buildApp } from '../src/app.ts';
import { openDiskStore } from '../src/blobs/disk.ts';
import { loadConfig } from '../src/config.ts';
import { connect } from '../src/db.ts';
import { startLocalPostgres } from '../src/local-postgres.ts';
import { migrate } from '../src/migrate.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';
import { load } from './load.ts';

const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 10;
const POOL = 10;

/**
 * Authenticated GET of a project by its id, against a bare Fastify route that sends the same SELECT through unprepared pg to the same
 * database. Our side signs the caller in, checks versions and visibility, validates the row and writes a line of log.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const server = await startLocalPostgres(join(folder, 'postgres'));
  await migrate(server.url);
  const db = await connect(server.url, POOL);
  const app = await buildApp({
    config: loadConfig({}),
    db,
    databaseUrl: server.url,
    blobs: await openDiskStore(join(folder, 'blobs')),
    log: pino(pino.destination('/dev/null')),
  });
  const pool = new pg.Pool({ connectionString: server.url, max: POOL });
  const peer = Fastify();
  try {
    const password = 'Bench-password-1';
    await bootstrap(db, { accountId: 'bench', password });
    const headers = { authorization: `Bearer ${await tokenOf(app, password)}` };
    const created = await app.inject({
      method: 'POST',
      url: '/api/metadata/project',
      headers,
      payload: { name: 'Bench' },
    });
    const path = `/api/metadata/project/${created.json().id}`;

    const { text, values } = await statementOf(() => app.inject({ url: path, headers }));
    peer.get('/*', async () => (await pool.query(text, [...values])).rows[0]);
    const [ours, theirs] = await Promise.all([app, peer].map((one) => one.listen({ port: 0 }).then(portOf)));

    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const ask = (port = 0) => load({ port, path, headers, connections: CONNECTIONS, seconds: SECONDS });
      const [mine, bare] = [await ask(ours), await ask(theirs)];
      if (round === 0) continue; // warms up
      ratios.push(mine / bare);
      console.log(`GET by id ${mine.toFixed(0)}/s, bare route ${bare.toFixed(0)}/s, ratio ${(mine / bare).toFixed(2)}`);
    }
    console.log(`read: median ratio ${ratios.sort((a, b) => a - b)[ROUNDS >> 1]?.toFixed(2)} (wanted: at least 0.50)`);
  } finally {
    await Promise.all([app.close(), peer.close()]);
    await Promise.all([db.end(), pool.end()]);
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

const portOf = (address: string) => Number(new URL(address).port);

async function tokenOf(app: Awaited<ReturnType<typeof buildApp>>, password: string): Promise<string> {
  const answer = await app.inject({ method: 'POST', url: '/api/tokens', payload: { id: 'bench', password } });
  return answer.json().accessToken.token;
}

/** The one statement that is sent while `work` runs a second time, when everything that can be remembered is. */
async function statementOf(work: () => Promise<unknown>): Promise<{ text: string; values: readonly unknown[] }> {
  await work();
  const seen: { text: string; values: readonly unknown[] }[] = [];
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
  const [only] = seen;
  if (!only || seen.length > 1) throw new Error(`Expected one statement: ${seen.map((one) => one.text).join('; ')}`);
  return only;
}
