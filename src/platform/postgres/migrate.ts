import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { openPool } from '../sql/pool.ts';

/** Key of the advisory lock, unique in this database. */
const LOCK = 7_201_954;
const FOLDER = new URL('../../../sql/migrations/', import.meta.url);

const RUNTIME_ROLE = new URL('../../../sql/runtime-role.sql', import.meta.url);
/** Key of the row of `migrations` that tells which rights were granted. */
const GRANTS = 'rights of the runtime role';
const INSUFFICIENT_PRIVILEGE = '42501';

interface MigrateOptions {
  readonly folder?: URL;
  /**
   * Connection string of the role that gets the rights of API and workers; default: the migrating role keeps its own.
   */
  readonly runtimeUrl?: string | undefined;
  /** Ends the wait for the connection and for the lock, and begins no further migration. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Migrates a database: first graphile-worker's tables, then the files of `sql/migrations` in the order of their names,
 * each in its own transaction. Concurrent calls are serialized. Returns the names of the migrations that it applied.
 * Throws if an applied file was changed; the error of a failed statement names file and line. Throws the reason of
 * `stop`.
 */
export async function migrate(
  databaseUrl: string,
  { folder = FOLDER, runtimeUrl, stop }: MigrateOptions = {},
): Promise<string[]> {
  const client = await lockedClient(databaseUrl, stop);
  try {
    stop?.throwIfAborted();
    await migrateQueue(databaseUrl);
    // a role that may create nothing can find that nothing is to do
    const { rows } = await client.query<{ there: boolean }>("select to_regclass('migrations') is not null as there");
    if (!rows[0]?.there)
      await client.query(`create table if not exists migrations (
        name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
    const applied = new Map<string, string>(
      (await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations')).rows.map((row) => [
        row.name,
        row.sha256,
      ]),
    );
    const fresh: string[] = [];
    for (const name of await migrationNames(folder)) {
      const text = await readFile(new URL(name, folder), 'utf8');
      const sha256 = createHash('sha256').update(text).digest('hex');
      const before = applied.get(name);
      if (before === sha256) continue;
      stop?.throwIfAborted();
      if (before !== undefined) {
        throw new Error(
          `Migration ${name} was changed after it was applied (was ${before.slice(0, 8)}, is ${sha256.slice(0, 8)}).`,
        );
      }
      await apply(client, name, text, sha256);
      fresh.push(name);
    }
    if (runtimeUrl !== undefined) await grantRuntime(client, runtimeUrl, applied.get(GRANTS), fresh);
    return fresh;
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(
      `The database needs an update, which its role is not allowed: ${(error as Error).message}. Set PLATFORM_DATABASE_OWNER_URL to the role that owns the tables, or run 'platform migrate' with it.`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

/**
 * A connection that has the lock. Another process may hold the lock for as long as its migrations take, and an address
 * may accept the connection and never answer: both waits end when `stop` is aborted.
 */
async function lockedClient(databaseUrl: string, stop: AbortSignal | undefined): Promise<pg.Client> {
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

/**
 * Gives the runtime role its rights after each change of the tables.
 * @param before hash of the rights that were granted last
 */
async function grantRuntime(client: pg.Client, runtimeUrl: string, before: string | undefined, fresh: string[]) {
  const role = await roleOf(runtimeUrl);
  const { rows } = await client.query<{ owner: string }>('select current_user as owner');
  if (rows[0]?.owner === role) return;
  const script = await readFile(RUNTIME_ROLE, 'utf8');
  const { rows: last } = await client.query<{ id: number }>('select max(id) as id from graphile_worker.migrations');
  const sha256 = createHash('sha256').update(`${role} ${last[0]?.id} ${script}`).digest('hex');
  if (fresh.length === 0 && before === sha256) return;
  await client.query('begin');
  try {
    await client.query("select set_config('platform.runtime_role', $1, true)", [role]);
    await client.query(script);
    await client.query(
      `insert into migrations (name, sha256) values ($1, $2)
      on conflict (name) do update set sha256 = excluded.sha256, applied_at = now()`,
      [GRANTS, sha256],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** The role that a connection string logs in as. */
async function roleOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform migrate' });
  client.on('error', () => {}); // the running statement rejects as well
  try {
    await client.connect();
    return (await client.query<{ role: string }>('select current_user as role')).rows[0]!.role;
  } finally {
    client.end().catch(() => {});
  }
}

/** Whether the role of a connection string owns the platform's tables, or could. */
export async function ownsTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform migrate' });
  client.on('error', () => {}); // the running statement rejects as well
  try {
    await client.connect();
    const { rows } = await client.query<{ owns: boolean }>(
      "select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'audit'::regclass",
    );
    return rows[0]?.owns ?? false;
  } finally {
    client.end().catch(() => {});
  }
}

/** graphile-worker's tables. It would stop listening to the errors of a pool of its own before that is closed. */
async function migrateQueue(databaseUrl: string) {
  const { runMigrations } = await import('graphile-worker');
  const pgPool = openPool({ connectionString: databaseUrl });
  try {
    await runMigrations({ pgPool });
  } finally {
    await pgPool.end();
  }
}

/** Names of all migrations, in the order in which they are applied. */
export const migrationNames = async (folder = FOLDER) =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();

async function apply(client: pg.Client, name: string, text: string, sha256: string) {
  let completed = 0;
  const count = () => void completed++;
  await client.query('begin');
  client.connection.on('commandComplete', count);
  try {
    await client.query(text);
    client.connection.off('commandComplete', count);
    await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256]);
    await client.query('commit');
  } catch (error) {
    client.connection.off('commandComplete', count);
    await client.query('rollback').catch(() => {});
    const { position, message } = error as pg.DatabaseError;
    const offset = Number(position) > 0 ? Number(position) - 1 : (statementStarts(text)[completed] ?? 0);
    const line = text.slice(0, offset).split('\n').length;
    throw Object.assign(new Error(`${name}:${line}: ${message}`, { cause: error }), {
      code: (error as { code?: string }).code,
    });
  }
}

/**
 * Tokens: strings, quoted names, dollar quotes, comments and blanks; then the semicolon that ends a statement; then
 * words and characters.
 */
const TOKENS =
  /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/|\s+)|(?<end>;)|\w+|./g;

/** Offset of each statement, for errors to which Postgres adds no `position`, such as "relation already exists". */
function statementStarts(text: string): number[] {
  const starts: number[] = [];
  let inside = false;
  for (const { index, groups } of text.matchAll(TOKENS)) {
    if (groups?.end !== undefined) inside = false;
    else if (!inside && groups?.comment === undefined) {
      starts.push(index);
      inside = true;
    }
  }
  return starts;
}
