import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { openPool } from '../sql/pool.ts';

/** Key of the advisory lock, unique in this database. */
const LOCK = 7_201_954;
const FOLDER = new URL('../../../sql/migrations/', import.meta.url);

interface MigrateOptions {
  readonly folder?: URL;
  /** Ends the wait for the connection and for the lock, and begins no further migration. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Migrates a database: first graphile-worker's tables, then the files of `sql/migrations` in the order of their names,
 * each in its own transaction. Concurrent calls are serialized. Returns the names of the migrations that it applied.
 * Throws if an applied file was changed; the error of a failed statement names file and line. Throws the reason of `stop`.
 */
export async function migrate(databaseUrl: string, { folder = FOLDER, stop }: MigrateOptions = {}): Promise<string[]> {
  const client = await lockedClient(databaseUrl, stop);
  try {
    stop?.throwIfAborted();
    await migrateQueue(databaseUrl);
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
    return fresh;
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
    throw new Error(`${name}:${line}: ${message}`, { cause: error });
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
