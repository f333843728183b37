import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPool } from '../sql/pool.ts';
import { runSqlFile } from './sql-file.ts';

/** Key of the advisory lock, unique in this database. */
const LOCK = 7_201_954;
const FOLDER = new URL('../../../sql/', import.meta.url);

/** The tables of the first release. */
const BASELINE = '0001_baseline.sql';
/**
 * The 56 migrations that the baseline replaced. A database that has them all has the tables of the baseline.
 * `sha256`: of the lines `name sha256` of the table `migrations`.
 */
const BEFORE_BASELINE = {
  last: '0098_last_login.sql',
  version: '0.1.0',
  sha256: '516e0f69de2b06bfc4662230b3e55435cdff4c67184e5d12727ac77bd45ecacb',
};

/** Key of the row of `migrations` that records the granted rights. */
const GRANTS = 'rights of the runtime role';

const INSUFFICIENT_PRIVILEGE = '42501';
/** SQLSTATEs of a change of a column that a view uses. */
const VIEW_CONFLICTS = new Set(['0A000', '2BP01']);
/** SQLSTATEs of a deadlock with a statement of a running process, and of a lock that was not free in time. */
const LOCK_CONFLICTS = new Set(['40P01', '55P03']);
const LOCK_TIMEOUT = '3s';
const RETRY_MS = 1000;

interface MigrateOptions {
  /** With `migrations/`, `functions/`, `comments/` and `runtime-role.sql`. */
  readonly folder?: URL;
  /**
   * Connection string of the role that gets the rights of API and workers; default: the migrating role keeps its own.
   */
  readonly runtimeUrl?: string | undefined;
  /** Ends the waits for the connection and for locks, and begins no update. */
  readonly stop?: AbortSignal | undefined;
}

/** A file of `migrations/`, `functions/` or `comments/`. */
interface SqlFile {
  /** As in the table `migrations`: `0001_baseline.sql`, `functions/credits.sql`. */
  name: string;
  text: string;
  sha256: string;
}

/** A row of the table `migrations`. */
interface AppliedFile {
  name: string;
  sha256: string;
  /** Functions, triggers and views that a file of `functions/` created, such as `routine fold_name(text)`. */
  objects: string[] | null;
}

/** Pending changes of a database. */
interface Update {
  /** The tables of the baseline are there, made by the migrations before it. */
  adopted: SqlFile | undefined;
  migrations: SqlFile[];
  /**
   * Files of `functions/` and `comments/` that changed. After a migration all of them: it may have dropped a table with
   * triggers.
   */
  repeatable: SqlFile[];
  /** Rows of repeatable files that changed or are gone: what only these created is dropped. */
  outdated: AppliedFile[];
  /** Gives the runtime role its rights. */
  grants: { role: string; script: string; sha256: string } | undefined;
}

/**
 * Brings a database up to date: first graphile-worker's tables, then, in one transaction, the new files of
 * `sql/migrations/` in the order of their names, the changed files of `sql/functions/` and `sql/comments/`, and the
 * rights of the runtime role. Concurrent calls are serialized. Returns the names of the files that it applied. Throws
 * if an applied migration was changed; the error of a failed statement names file and line. Throws the reason of
 * `stop`.
 */
export async function migrate(
  databaseUrl: string,
  { folder = FOLDER, runtimeUrl, stop }: MigrateOptions = {},
): Promise<string[]> {
  const client = await lockedClient(databaseUrl, stop);
  try {
    stop?.throwIfAborted();
    await migrateQueue(client, databaseUrl);
    const update = await pendingUpdate(
      client,
      folder,
      runtimeUrl === undefined ? undefined : await findRole(runtimeUrl),
    );
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

/** Finds what is to do. Only reads if the table `migrations` exists, so that a role without rights can find nothing. */
async function pendingUpdate(client: pg.Client, folder: URL, runtimeRole: string | undefined): Promise<Update> {
  const applied = await appliedFiles(client);
  const migrations = await sqlFiles(folder, 'migrations/', '');
  const adopted = applied.has(BASELINE) ? undefined : adoptable(applied, migrations);
  const pending = migrations.filter((file) => file !== adopted && !isApplied(file, applied));
  const all = [...(await sqlFiles(folder, 'functions/')), ...(await sqlFiles(folder, 'comments/'))];
  const repeatable = pending.length > 0 ? all : all.filter(({ name, sha256 }) => applied.get(name)?.sha256 !== sha256);
  const present = new Set(all.map(({ name }) => name));
  const changed = new Set(repeatable.map(({ name }) => name));
  const outdated = [...applied.values()].filter(
    ({ name, objects }) => objects !== null && (changed.has(name) || !present.has(name)),
  );
  const isChanged = pending.length + repeatable.length + outdated.length > 0;
  const grants = runtimeRole && (await pendingGrants(client, folder, runtimeRole, isChanged, applied.get(GRANTS)));
  return { adopted, migrations: pending, repeatable, outdated, grants: grants || undefined };
}

async function appliedFiles(client: pg.Client): Promise<Map<string, AppliedFile>> {
  const { rows } = await client.query<{ there: boolean }>("select to_regclass('migrations') is not null as there");
  if (!rows[0]?.there)
    await client.query(`create table if not exists migrations (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now(), objects text[])`);
  // an adopted database gets the column `objects` with the baseline
  const { rows: applied } = await client.query<AppliedFile>(
    "select name, sha256, to_jsonb(m) -> 'objects' as objects from migrations m",
  );
  return new Map(applied.map((row) => [row.name, row]));
}

/** The files of a folder in the order of their names. */
async function sqlFiles(folder: URL, subfolder: string, prefix = subfolder): Promise<SqlFile[]> {
  const names = await sqlNames(new URL(subfolder, folder));
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(`${subfolder}${name}`, folder), 'utf8');
      return { name: `${prefix}${name}`, text, sha256: hashText(text) };
    }),
  );
}

const sqlNames = async (folder: URL) => (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();

/** Names of all migrations, in the order in which they are applied. */
export const migrationNames = () => sqlNames(new URL('migrations/', FOLDER));

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

/** The baseline, if the migrations before it made the tables; nothing for an empty database. */
function adoptable(applied: Map<string, AppliedFile>, migrations: SqlFile[]): SqlFile | undefined {
  const baseline = migrations.find(({ name }) => name === BASELINE);
  const before = [...applied.values()].filter(({ name }) => name !== GRANTS).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (baseline === undefined || before.length === 0) return undefined;
  if (hashText(before.map(({ name, sha256 }) => `${name} ${sha256}`).join('\n')) === BEFORE_BASELINE.sha256)
    return baseline;
  const { last, version } = BEFORE_BASELINE;
  throw new Error(
    `The tables of this database are too old: they are at ${before.at(-1)!.name}, and this version needs ${last}. Start version ${version} of the platform on the database first, then this version.`,
  );
}

function isApplied({ name, sha256 }: SqlFile, applied: Map<string, AppliedFile>): boolean {
  const before = applied.get(name)?.sha256;
  if (before === undefined || before === sha256) return before === sha256;
  throw new Error(
    `Migration ${name} was changed after it was applied (was ${before.slice(0, 8)}, is ${sha256.slice(0, 8)}).`,
  );
}

/** Rights for another role than that of the tables, after each change of the tables or of the rights. */
async function pendingGrants(
  client: pg.Client,
  folder: URL,
  role: string,
  isChanged: boolean,
  before: AppliedFile | undefined,
) {
  const { rows: owners } = await client.query<{ owner: string }>('select current_user as owner');
  if (owners[0]?.owner === role) return undefined;
  const script = await readFile(new URL('runtime-role.sql', folder), 'utf8');
  const { rows: last } = await client.query<{ id: number }>('select max(id) as id from graphile_worker.migrations');
  const sha256 = hashText(`${role} ${last[0]?.id} ${script}`);
  return isChanged || before?.sha256 !== sha256 ? { role, script, sha256 } : undefined;
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

async function apply(client: pg.Client, { adopted, migrations, repeatable, outdated, grants }: Update) {
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  if (adopted) {
    await client.query('alter table migrations add column objects text[]');
    await record(client, adopted);
  }
  for (const file of migrations) {
    await runSqlFile(client, file.name, file.text);
    // a table with triggers that wait for the end of the transaction cannot be altered
    await client.query('set constraints all immediate');
    await record(client, file);
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
  }
  await dropObjects(
    client,
    outdated.flatMap(({ objects }) => objects ?? []),
  );
  if (grants === undefined) return;
  await client.query("select set_config('platform.runtime_role', $1, true)", [grants.role]);
  await client.query(grants.script);
  await record(client, { name: GRANTS, sha256: grants.sha256 });
}

/** Notes that a file was applied. */
const record = (client: pg.Client, { name, sha256 }: Omit<SqlFile, 'text'>, objects?: string[]) =>
  client.query(
    `insert into migrations (name, sha256, objects) values ($1, $2, $3)
    on conflict (name) do update set sha256 = excluded.sha256, objects = excluded.objects, applied_at = now()`,
    [name, sha256, objects],
  );

/** Routines, triggers and views, each with the version of its row in the catalogue: `create or replace` changes it. */
async function listObjects(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ object: string; version: string }>(`
    select 'routine ' || oid::regprocedure as object, ctid::text as version
    from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select format('trigger %I on %s', tgname, tgrelid::regclass), t.ctid::text
    from pg_trigger t join pg_class c on c.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal
    union all
    select 'view ' || ev_class::regclass, r.ctid::text
    from pg_rewrite r join pg_class c on c.oid = ev_class
    where relnamespace = 'public'::regnamespace and relkind = 'v'`);
  return new Map(rows.map(({ object, version }) => [object, version]));
}

/** Drops those of the objects that no file of functions creates any more: views, then triggers, then routines. */
async function dropObjects(client: pg.Client, objects: string[]) {
  const { rows } = await client.query<{ object: string }>(
    `select object from unnest($1::text[]) object
    where not exists (select from migrations where object = any(objects)) order by object desc`,
    [objects],
  );
  // a migration may have dropped the table of a trigger
  for (const { object } of rows) await client.query(`drop ${object.replace(' ', ' if exists ')}`);
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

/** The role that a connection string logs in as. */
async function findRole(url: string): Promise<string> {
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

/**
 * Drops the views of the queue's tables, and notes that their files of functions must be applied again. Until then,
 * statements that use the views fail.
 */
const DROP_QUEUE_VIEWS = `do $$ declare
  found record;
begin
  for found in
    select distinct ev_class::regclass::text as view from pg_rewrite r
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      join pg_class used on used.oid = d.refobjid and used.relnamespace = 'graphile_worker'::regnamespace
      join pg_class v on v.oid = ev_class and v.relnamespace = 'public'::regnamespace
  loop
    execute format('drop view %s', found.view);
    update migrations set sha256 = '' where 'view ' || found.view = any(objects);
  end loop;
end $$`;

/**
 * graphile-worker's tables. An upgrade of the library may change columns that views use, which Postgres refuses: the
 * views are dropped then. The library would stop listening to the errors of a pool of its own before that is closed.
 */
async function migrateQueue(client: pg.Client, databaseUrl: string) {
  const { runMigrations } = await import('graphile-worker');
  const pgPool = openPool({ connectionString: databaseUrl });
  try {
    await runMigrations({ pgPool }).catch(async (error: { code?: string }) => {
      if (!VIEW_CONFLICTS.has(error.code ?? '')) throw error;
      await client.query(DROP_QUEUE_VIEWS);
      await runMigrations({ pgPool });
    });
  } finally {
    await pgPool.end();
  }
}
