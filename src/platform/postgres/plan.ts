import type pg from 'pg';
import { apply, LOCK_CONFLICTS } from './migrate.ts';
import { lockedClient } from './migration-lock.ts';
import { findRole } from './owner.ts';
import { hasMigrationsTable, pendingUpdate, SQL_FOLDER } from './pending-update.ts';

/** What a file does to a table that is there before. */
export interface PlannedTable {
  name: string;
  /** The strongest lock, as in `pg_locks`: `AccessExclusiveLock`. */
  lock: string;
  /** What others cannot do meanwhile. */
  stops: string;
  /** All its rows are written anew, with the lock held. */
  rewritten: boolean;
}

export interface PlannedFile {
  name: string;
  /** Milliseconds that it took on the data as they are. Absent: it was not tried. */
  duration?: number;
  tables: PlannedTable[];
}

export interface Plan {
  files: PlannedFile[];
  /** Why files at the end were not tried. Absent: all were. */
  stopped?: string;
}

interface PlanOptions {
  readonly folder?: URL;
  readonly runtimeUrl?: string | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** How long the plan waits for a lock, with others behind it, and how long it holds locks. */
const LOCK_WAIT_MS = 200;
const MOST_MS = 3000;
const TRANSACTION_TIMEOUT = '25P04';
const QUERY_CANCELED = '57014';

/** From the weakest on. Weaker ones stop nobody. */
const LOCKS: Record<string, string> = {
  RowExclusiveLock: 'nobody, but writes rows',
  ShareUpdateExclusiveLock: 'maintenance',
  ShareLock: 'writes',
  ShareRowExclusiveLock: 'writes',
  ExclusiveLock: 'writes',
  AccessExclusiveLock: 'reads and writes',
};
const STRENGTH = Object.keys(LOCKS);

/**
 * What `migrate` would do to a database: it does it in a transaction, looks at its locks and at the files of the
 * tables, and rolls back. That takes the locks for real, so it gives up soon: a plan that others notice is no plan.
 * Only the tables of the queue are left out, which graphile-worker migrates itself.
 */
export async function planMigration(
  databaseUrl: string,
  { folder = SQL_FOLDER, runtimeUrl, stop }: PlanOptions = {},
): Promise<Plan> {
  const client = await lockedClient(databaseUrl, stop);
  try {
    const isNew = !(await hasMigrationsTable(client));
    const role = runtimeUrl === undefined || isNew ? undefined : await findRole(runtimeUrl);
    const update = await pendingUpdate(client, folder, role);
    const names = [...update.migrations, ...update.repeatable].map(({ name }) => name);
    if (isNew)
      return {
        files: names.map((name) => ({ name, tables: [] })),
        stopped: 'The database is empty: nobody waits for it.',
      };
    const files: PlannedFile[] = [];
    const stopped = await tryOut(client, files, (options) => apply(client, update, options));
    const tried = new Set(files.map(({ name }) => name));
    const left = names.filter((name) => !tried.has(name)).map((name) => ({ name, tables: [] }));
    return { files: [...files, ...left], ...(stopped === undefined ? {} : { stopped }) };
  } finally {
    await client.end();
  }
}

/** Runs the work in a transaction that it rolls back. Returns why it was not ended. */
async function tryOut(
  client: pg.Client,
  files: PlannedFile[],
  work: (options: { lockTimeout: string; applied: (name: string) => Promise<void> }) => Promise<void>,
): Promise<string | undefined> {
  await client.query('begin');
  try {
    await client.query(`set local transaction_timeout = ${MOST_MS}`);
    const before = await listTables(client);
    let held = new Map<string, string>();
    let written = before;
    let since = performance.now();
    await work({
      lockTimeout: `${LOCK_WAIT_MS}ms`,
      async applied(name) {
        const duration = performance.now() - since;
        const locks = await listLocks(client);
        const now = await listTables(client);
        files.push({ name, duration, tables: tablesOf({ before, held, locks, written, now }) });
        held = locks;
        written = now;
        since = performance.now();
      },
    });
    return undefined;
  } catch (error) {
    return reasonOf(error as Error & { code?: string; cause?: { code?: string } });
  } finally {
    // the server has ended a transaction that took too long, and its connection
    await client.query('rollback').catch(() => {});
  }
}

function reasonOf(error: Error & { code?: string; cause?: { code?: string } }): string {
  const code = error.code ?? '';
  if (LOCK_CONFLICTS.has(code))
    return `Others use a table of the next file now: ${error.message}. 'platform migrate' waits for it, at most 3 s at a time; plan again to see the rest.`;
  if (
    [TRANSACTION_TIMEOUT, QUERY_CANCELED].includes(code) ||
    /transaction timeout|Connection terminated/.test(error.message)
  )
    return `The next file takes longer than the ${MOST_MS / 1000} s for which a plan holds locks: apply it when few people work, and expect them to wait.`;
  throw error;
}

interface State {
  before: ReadonlyMap<string, Table>;
  held: ReadonlyMap<string, string>;
  locks: ReadonlyMap<string, string>;
  written: ReadonlyMap<string, Table>;
  now: ReadonlyMap<string, Table>;
}

/** Tables of before the plan whose lock has become stronger, or that were written anew, by the last file. */
function tablesOf({ before, held, locks, written, now }: State): PlannedTable[] {
  const found: PlannedTable[] = [];
  for (const [oid, { name }] of before) {
    const lock = locks.get(oid);
    const last = written.get(oid)?.file;
    const file = now.get(oid)?.file;
    const rewritten = file !== undefined && file !== last;
    if (lock !== undefined && (lock !== held.get(oid) || rewritten))
      found.push({ name, lock, stops: LOCKS[lock] ?? '', rewritten });
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

interface Table {
  name: string;
  /** Null for a view. */
  file: string | null;
}

/** Tables and views of the platform by oid, but for the list of migrations. */
async function listTables(client: pg.Client): Promise<Map<string, Table>> {
  const { rows } = await client.query<Table & { oid: string }>(`
    select oid::text, relname as name, pg_relation_filenode(oid)::text as file from pg_class
    where relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and relkind in ('r', 'p', 'v', 'm')
      and relname <> 'migrations'`);
  return new Map(rows.map(({ oid, name, file }) => [oid, { name, file }]));
}

/** The strongest lock of this transaction on each relation, by oid. */
async function listLocks(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ oid: string; mode: string }>(`
    select relation::text as oid, mode from pg_locks
    where locktype = 'relation' and pid = pg_backend_pid() and granted
      and database = (select oid from pg_database where datname = current_database())`);
  const strongest = new Map<string, string>();
  for (const { oid, mode } of rows)
    if (STRENGTH.indexOf(mode) > STRENGTH.indexOf(strongest.get(oid) ?? '')) strongest.set(oid, mode);
  return strongest;
}
