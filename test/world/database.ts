import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Database } from '../../src/db.ts';
import { startLocalPostgres } from '../../src/platform/postgres/local-postgres.ts';
import { localRoles } from '../../src/platform/postgres/local-roles.ts';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { clusterFolder } from './memory.ts';

const root = new URL('../..', import.meta.url);

/** One for all threads of a run; a file that kills its server names another one. */
const serverFolder = () => process.env.TEST_CLUSTER ?? clusterFolder(undefined);

/** SQLSTATE of a statement about a database that others use. */
const IN_USE = '55006';
/** On a busy machine, the tests of a group, which begin all at once, wait long for one another's connections. */
const CONNECT_MS = 180_000;
/** Nothing of these databases has to survive a crash. */
const FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '600',
};

/** A migrated database, cloned from a template that the first test file of a run creates. */
export interface TestDatabase {
  /** Connection URL of the superuser, for states that no route creates. */
  url: string;
  /** Connection URL of the runtime role, for the platform. */
  runtimeUrl: string;
  /** Connections of the runtime role. */
  db: Database;
  /** A new empty folder, removed by `close`. */
  folder: string;
  close(): Promise<void>;
}

/**
 * @param role of `db`; the superuser is for tests that make tables of their own
 * @param make fills a new template after the migrations, which all databases with this `make.name` are cloned from
 */
export async function testDatabase(
  poolSize = 10,
  role: 'runtime' | 'superuser' = 'runtime',
  make: (db: Database) => Promise<void> = async function migrated() {},
): Promise<TestDatabase> {
  const server = await startLocalPostgres(serverFolder(), { settings: FORGETFUL });
  const template = await templateOf(server.url, make);
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server.url, (client) =>
    whenFree(client, `create database ${name} template ${template} strategy file_copy`),
  );
  const url = withDatabase(server.url, name);
  const runtimeUrl = withDatabase((await localRoles(server.url)).runtime, name);
  const db = new Database(role === 'runtime' ? runtimeUrl : url, poolSize, undefined, CONNECT_MS);
  const folder = await dataFolder();
  return {
    url,
    runtimeUrl,
    db,
    folder,
    async close() {
      await db.end();
      await dropDatabase(server.url, name);
      await rm(folder, { recursive: true, force: true });
      await server.stopIfIdle();
    },
  };
}

/**
 * A data folder whose conversion processes share one compile cache with all others; each would compile everything anew.
 */
export async function dataFolder(name = 'platform-test'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const cache = new URL('node_modules/.cache/conversions', root).pathname;
  await mkdir(cache, { recursive: true });
  await symlink(cache, join(folder, 'compile-cache'));
  return folder;
}

/**
 * Returns the name of the template, creating it if needed. The name contains a hash of `sql/`, so a change
 * creates a new one.
 */
async function templateOf(serverUrl: string, make: (db: Database) => Promise<void>): Promise<string> {
  const folder = new URL('sql/', root);
  const hash = createHash('sha256').update(await readFile(new URL('package-lock.json', root)));
  for (const file of (await readdir(folder, { recursive: true })).sort())
    if (file.endsWith('.sql') && file !== 'schema.sql') hash.update(file).update(await readFile(new URL(file, folder)));
  const name = `template_${hash.update(make.name).digest('hex').slice(0, 16)}`;
  await administer(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const known = await client.query('select from pg_database where datname = $1', [name]);
    if (known.rowCount) return;
    const making = `${name}_making`;
    await whenFree(client, `drop database if exists ${making} with (force)`);
    await whenFree(client, `create database ${making}`);
    const { owner, runtime } = await localRoles(withDatabase(serverUrl, making));
    await migrate(owner, { runtimeUrl: runtime });
    const db = new Database(runtime, 1);
    await make(db);
    await db.end();
    await whenFree(client, `alter database ${making} rename to ${name}`);
  });
  return name;
}

/** Creates an empty database on the server of `url`. */
export const createDatabase = (url: string, name: string) =>
  administer(url, (client) => whenFree(client, `create database ${name}`));

/** Removes a database from the server of `url`, and ends what is still connected to it. */
export const dropDatabase = (url: string, name: string) =>
  administer(url, (client) => whenFree(client, `drop database ${name} with (force)`));

/**
 * A statement about a whole database. Postgres waits 5 s for others in that database, also for those that it has told
 * to end, and then gives up: on a busy machine one of them may take longer.
 */
async function whenFree(client: pg.Client, statement: string): Promise<void> {
  for (;;) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE) throw error;
    }
  }
}

async function administer(url: string, work: (client: pg.Client) => Promise<void>) {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string) {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.href;
}
