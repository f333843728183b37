import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { lockedClient } from './migration-lock.ts';
import { findRole } from './owner.ts';
import {
  GRANTS,
  type Migration,
  makeMigrationsTable,
  pendingMigrations,
  pendingUpdate,
  SQL_FOLDER,
  type SqlFile,
  type Update,
} from './pending-update.ts';
import { migrateQueue } from './queue-tables.ts';
import { runSqlFile } from './sql-file.ts';
import { dropObjects, listObjects } from './sql-objects.ts';
import { refuseUnfinished } from './unfinished-restore.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
/** SQLSTATEs of a deadlock with a statement of a running process, and of a lock that was not free in time. */
export const LOCK_CONFLICTS = new Set(['40P01', '55P03']);
const LOCK_TIMEOUT = '3s';
const RETRY_MS = 1000;

interface MigrateOptions {
  /** With `migrations/`, `functions/`, `comments/` and `runtime-role.sql`. */
  readonly folder?: URL;
  /**
   * Connection string of the role that gets the rights of API and workers; default: the migrating role keeps its own.
   */
  readonly runtimeUrl?: string | undefined;
  /** Applies only these migrations, and no file of functions or comments: makes the tables of an earlier version. */
  readonly only?: readonly Migration[] | undefined;
  /** For the restore of a backup; others refuse a database whose restore has not ended. */
  readonly restoring?: boolean;
  /** Ends the waits for the connection and for locks, and begins no update. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Brings a database up to date: first graphile-worker's tables, then, in one transaction, the new files of
 * `sql/migrations/` in the order of their names, the changed files of `sql/functions/` and `sql/comments/`, and the
 * rights of the runtime role. Concurrent calls are serialized. Returns the names of the files that it applied. Throws
 * if an applied migration was changed, or if the restore of a backup has not ended; the error of a failed statement
 * names file and line. Throws the reason of `stop`.
 */
export async function migrate(
  databaseUrl: string,
  { folder = SQL_FOLDER, runtimeUrl, only, restoring = false, stop }: MigrateOptions = {},
): Promise<string[]> {
  const client = await lockedClient(databaseUrl, stop);
  try {
    stop?.throwIfAborted();
    if (!restoring) await refuseUnfinished(client);
    await migrateQueue(client, databaseUrl);
    await makeMigrationsTable(client);
    const update =
      only === undefined
        ? await pendingUpdate(client, folder, runtimeUrl === undefined ? undefined : await findRole(runtimeUrl))
        : await pendingMigrations(client, folder, only);
    const { adopted, migrations, repeatable, outdated, grants } = update;
    if (adopted || migrations.length + repeatable.length + outdated.length > 0 || grants)
      await applyWhenUnlocked(client, update, stop);
    return [...migrations, ...repeatable].map(({ name }) => name);
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
 * Applies an update in one transaction. Running processes use the tables meanwhile: a lock that they hold for long, and
 * that others would queue behind, is tried again.
 */
async function applyWhenUnlocked(client: pg.Client, update: Update, stop: AbortSignal | undefined): Promise<void> {
  for (;;) {
    stop?.throwIfAborted();
    await client.query('begin');
    try {
      await apply(client, update);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!LOCK_CONFLICTS.has((error as { code?: string }).code ?? '')) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {});
  }
}

/**
 * Applies an update in the transaction of the client.
 * @param applied told of each file that was applied
 */
export async function apply(
  client: pg.Client,
  { adopted, migrations, repeatable, outdated, grants }: Update,
  { lockTimeout = LOCK_TIMEOUT, applied = async (_name: string) => {} } = {},
) {
  await client.query(`set local lock_timeout = '${lockTimeout}'`);
  if (adopted) {
    await client.query('alter table migrations add column objects text[]');
    await record(client, adopted);
  }
  for (const file of migrations) {
    await runSqlFile(client, file.name, file.text);
    // a table with triggers that wait for the end of the transaction cannot be altered
    await client.query('set constraints all immediate');
    await record(client, file);
    await applied(file.name);
  }
  let before = await listObjects(client);
  await client.query('delete from migrations where name = any($1)', [outdated.map(({ name }) => name)]);
  for (const file of repeatable) {
    await runSqlFile(client, file.name, file.text);
    const after = await listObjects(client);
    await record(
      client,
      file,
      [...after].filter(([object, version]) => before.get(object) !== version).map(([object]) => object),
    );
    before = after;
    await applied(file.name);
  }
  await dropObjects(
    client,
    outdated.flatMap(({ objects }) => objects ?? []),
  );
  if (grants === undefined) return;
  await client.query("select set_config('platform.runtime_role', $1, true)", [grants.role]);
  await client.query(grants.script);
  await record(client, { name: GRANTS, sha256: grants.sha256 });
  await applied(GRANTS);
}

/** Notes that a file was applied. */
const record = (client: pg.Client, { name, sha256 }: Omit<SqlFile, 'text'>, objects?: string[]) =>
  client.query(
    `insert into migrations (name, sha256, objects) values ($1, $2, $3)
    on conflict (name) do update set sha256 = excluded.sha256, objects = excluded.objects, applied_at = now()`,
    [name, sha256, objects],
  );
