import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

export const SQL_FOLDER = new URL('../../../sql/', import.meta.url);

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
export const GRANTS = 'rights of the runtime role';

/** A file of `migrations/`, `functions/` or `comments/`. */
export interface SqlFile {
  /** As in the table `migrations`: `0001_baseline.sql`, `functions/credits.sql`. */
  name: string;
  text: string;
  sha256: string;
}

/** A migration without its text. */
export type Migration = Pick<SqlFile, 'name' | 'sha256'>;

/** A row of the table `migrations`. */
interface AppliedFile {
  name: string;
  sha256: string;
  /** Functions, triggers and views that a file of `functions/` created, such as `routine fold_name(text)`. */
  objects: string[] | null;
}

/** Pending changes of a database. */
export interface Update {
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

/** Finds what is to do. Only reads. */
export async function pendingUpdate(client: pg.Client, folder: URL, runtimeRole: string | undefined): Promise<Update> {
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

/** The migrations of `only` that are to be applied, to a database that has others of them at most. */
export async function pendingMigrations(client: pg.Client, folder: URL, only: readonly Migration[]): Promise<Update> {
  const applied = await appliedFiles(client);
  const names = new Set(only.map(({ name }) => name));
  const migrations = await sqlFiles(folder, 'migrations/', '');
  return {
    adopted: undefined,
    migrations: migrations.filter((file) => names.has(file.name) && !isApplied(file, applied)),
    repeatable: [],
    outdated: [],
    grants: undefined,
  };
}

/** Those of the migrations that this version does not have, or has with another text. */
export async function unknownMigrations(migrations: readonly Migration[]): Promise<string[]> {
  const known = new Map((await sqlFiles(SQL_FOLDER, 'migrations/', '')).map(({ name, sha256 }) => [name, sha256]));
  return migrations.filter(({ name, sha256 }) => known.get(name) !== sha256).map(({ name }) => name);
}

/** False: nothing was ever migrated. */
export async function hasMigrationsTable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>("select to_regclass('migrations') is not null as there");
  return rows[0]?.there ?? false;
}

/** Creates the table `migrations` unless it exists: a role without rights finds nothing to do then. */
export async function makeMigrationsTable(client: pg.Client): Promise<void> {
  if (await hasMigrationsTable(client)) return;
  await client.query(`create table if not exists migrations (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now(), objects text[])`);
}

async function appliedFiles(client: pg.Client): Promise<Map<string, AppliedFile>> {
  if (!(await hasMigrationsTable(client))) return new Map();
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
export const migrationNames = () => sqlNames(new URL('migrations/', SQL_FOLDER));

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
