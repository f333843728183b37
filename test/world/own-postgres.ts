import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestFn } from 'ava';
import pg from 'pg';
import { type LocalPostgres, startLocalPostgres } from '../../src/platform/postgres/local-postgres.ts';

/** Folder of a server of Postgres that only this file uses: it may be killed. Import it before the world. */
const FOLDER = join(tmpdir(), `platform-own-postgres-${randomBytes(6).toString('hex')}`, 'postgres-18');
process.env.TEST_CLUSTER = FOLDER;

/** What has been committed survives a kill of the server, if not one of the machine. */
const SETTINGS = { fsync: 'off', max_connections: '400' };

export interface OwnPostgres {
  /** Kills the server, with all that it has in memory, and starts it again where it was. */
  kill(pauseMs: number): Promise<void>;
  /** The server ends after the world. */
  endAfter(test: TestFn): void;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  let server: LocalPostgres = await startLocalPostgres(FOLDER, { settings: SETTINGS });
  const { url } = server;
  return {
    async kill(pauseMs) {
      const [pid] = (await readFile(join(FOLDER, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
      const { lost } = server;
      process.kill(Number(pid), 'SIGKILL');
      await lost;
      await sleep(pauseMs);
      server = await startLocalPostgres(FOLDER, { settings: SETTINGS });
      if (server.url !== url) throw new Error(`Postgres went from ${url} to ${server.url}.`);
    },
    endAfter(test) {
      test.after.always('the server of Postgres ends', async () => {
        const client = new pg.Client({ connectionString: url.replace(/[^/]*$/, 'postgres') });
        await client.connect();
        const worlds = `select from pg_database where datname like 'test\\_%'`;
        while ((await client.query(worlds)).rowCount) await sleep(200);
        await client.end();
        await server.stop();
        await rm(join(FOLDER, '..'), { recursive: true, force: true, maxRetries: 5 });
      });
    },
  };
}
