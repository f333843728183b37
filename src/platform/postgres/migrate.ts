import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';

/** Any number that no other advisory lock of this database uses. */
const LOCK = 7_201_954;
const FOLDER = new URL('../../../sql/migrations/', import.meta.url);

/**
 * Brings a database up to date: graphile-worker's own tables, then the files of `sql/migrations` in the order of their names, each in a
 * transaction of its own. Any number of processes may call it at once: one works, the others wait. Returns the names it applied.
 * Throws when a file that was applied has changed since, and names file and line of a statement that fails.
 */
export async function migrate(databaseUrl: string, folder = FOLDER): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'platform migrate' });
  client.on('error', () => {}); // a statement under way rejects besides
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await runMigrations({ connectionString: databaseUrl, preset: { worker: { connectionString: databaseUrl } } });
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

/** Of all migrations, in the order in which they are applied. */
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

/** Strings, quoted names, dollar quotes and comments, in which a semicolon ends nothing; then the semicolon; then anything that counts. */
const PARTS =
  /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/|\s+)|(?<end>;)|\w+|./g;

/** Where each statement begins. Postgres tells the place of a mistake in the text, but not which statement met a table that is there already. */
function statementStarts(text: string): number[] {
  const starts: number[] = [];
  let inside = false;
  for (const { index, groups } of text.matchAll(PARTS)) {
    if (groups?.end !== undefined) inside = false;
    else if (!inside && groups?.comment === undefined) {
      starts.push(index);
      inside = true;
    }
  }
  return starts;
}
