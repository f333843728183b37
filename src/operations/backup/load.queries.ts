import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { lockedClient, releaseLock } from '../../platform/postgres/migration-lock.ts';
import { findUnfinished, type UnfinishedRestore } from '../../platform/postgres/unfinished-restore.ts';
import type { Manifest } from './manifest.ts';
import { SESSION } from './snapshot.queries.ts';

type Lines = AsyncIterable<Uint8Array>;

/**
 * The place of a restore. What happens in the database are three transactions: the mark, the rows of all tables, and
 * the jobs with the end of the mark. So a restore that was stopped goes on where it was.
 */
export class RestoredDatabase {
  readonly #client: pg.Client;
  /** The restore that was begun here before; undefined: the database is empty. */
  readonly begun: UnfinishedRestore | undefined;

  private constructor(client: pg.Client, begun: UnfinishedRestore | undefined) {
    this.#client = client;
    this.begun = begun;
  }

  /**
   * Takes a database that is empty, or in which a restore was begun. Throws for another one. Until `mark`, no other
   * process makes tables in it.
   * @param url of the role that is to own the tables
   */
  static async open(url: string, stop: AbortSignal): Promise<RestoredDatabase> {
    const client = await lockedClient(url, stop);
    stop.addEventListener('abort', () => void client.connection.stream.destroy(), { once: true });
    try {
      await client.query(SESSION);
      const { rows } = await client.query<{ free: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('restore', 0)) as free`,
      );
      if (!rows[0]?.free) throw new Error('Another process restores a backup into this database. Wait for its end.');
      const begun = await findUnfinished(client);
      if (begun === undefined) await refuseTables(client);
      return new RestoredDatabase(client, begun);
    } catch (error) {
      await client.end().catch(() => {});
      throw stop.aborted ? stop.reason : error;
    }
  }

  /** Marks the database, on which the platform does not start until `end`. */
  async mark(backup: string): Promise<void> {
    const client = this.#client;
    if (this.begun === undefined) {
      await client.query('begin');
      await client.query(MARK);
      await client.query('grant select on public.unfinished_restore to public');
      await client.query('insert into public.unfinished_restore (backup, loaded) values ($1, false)', [backup]);
      await client.query('commit');
    }
    await releaseLock(client);
  }

  /**
   * Loads all tables in one transaction. The role need not be a superuser: there are no triggers before the files of
   * `sql/functions/` were applied, and foreign keys, which only a superuser can turn off, are made anew afterwards,
   * which checks all rows. Returns the names of tables that the migrations did not make: these are left out.
   */
  async load({ tables, sequences }: Manifest, read: (table: Manifest['tables'][number]) => Lines): Promise<string[]> {
    const client = this.#client;
    await client.query('begin');
    const strange = await listMissing(client, tables);
    const strangeSequences = await listMissing(client, sequences);
    const { rows: keys } = await client.query<{ name: string; table: string; definition: string }>(FOREIGN_KEYS);
    for (const { name, table } of keys)
      await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`);
    for (const table of tables) {
      if (strange.includes(table.name)) continue;
      const name = `public.${pg.escapeIdentifier(table.name)}`;
      const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ');
      await removeRows(client, name);
      await pipeline(read(table), client.query(copyFrom(`copy ${name} (${columns}) from stdin`)));
    }
    for (const { name, table, definition } of keys)
      await client.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`);
    for (const { name, value } of sequences) {
      if (strangeSequences.includes(name)) continue;
      await client.query('select setval($1::regclass, $2::bigint)', [`public.${pg.escapeIdentifier(name)}`, value]);
    }
    await client.query(FREE_TRANSACTION_IDS);
    await client.query(RETIRE_CURSOR_KEY);
    await client.query('update public.unfinished_restore set loaded = true');
    await client.query('commit');
    await client.query('analyze');
    return strange;
  }

  /** Adds the jobs, and removes the mark. */
  async end(jobs: Lines): Promise<void> {
    const client = this.#client;
    await client.query('begin');
    await client.query(RESTORED_JOBS);
    await pipeline(jobs, client.query(copyFrom(`copy public.restored_jobs (${JOB_COLUMNS}) from stdin`)));
    await client.query(ADD_TASKS);
    await client.query(ADD_JOBS);
    await client.query('drop table public.restored_jobs, public.unfinished_restore');
    await client.query('commit');
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}

/** Names of those that the database does not have. */
async function listMissing(client: pg.Client, wanted: readonly { name: string }[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as wanted (name) where to_regclass('public.' || quote_ident(name)) is null`,
    [wanted.map(({ name }) => name)],
  );
  return rows.map(({ name }) => name);
}

/** Removes rows that migrations have inserted; also of the ledger, of which the owner may delete none. */
async function removeRows(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ full: boolean; may: boolean }>(
    `select exists (select from ${table}) as full, has_table_privilege($1::regclass, 'delete') as may`,
    [table],
  );
  const { full, may } = rows[0]!;
  if (!full) return;
  if (!may) await client.query(`grant delete on ${table} to current_user`);
  await client.query(`delete from ${table}`);
  if (!may) await client.query(`revoke delete on ${table} from current_user`);
}

/** Tables of extensions do not count. */
async function refuseTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ database: string; count: number }>(`
    select current_database() as database, count(*)::int as count
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`);
  const { database, count } = rows[0]!;
  if (count > 0)
    throw new Error(
      `The database '${database}' is not empty: it has ${count} tables. A backup is restored into an empty place: give another PLATFORM_DATA or DATABASE_URL.`,
    );
}

const MARK = `
  create table public.unfinished_restore (
    backup text not null, loaded boolean not null, begun_at timestamptz not null default now())`;

const FOREIGN_KEYS = `
  select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
  order by conrelid::regclass::text, conname`;

/**
 * Unpublished events know the transaction that wrote them. This cluster will give the same number to another
 * transaction, so they get numbers that no cluster reaches.
 */
const FREE_TRANSACTION_IDS = `
  update events set transaction_id = fresh.number from (
    select id, (18446744073709551615 - row_number() over (order by id))::text::xid8 as number from events
    where "offset" is null and transaction_id is not null) fresh
  where events.id = fresh.id`;

const JOB_COLUMNS =
  'identifier, payload, priority, run_at, attempts, max_attempts, last_error, created_at, updated_at, key, flags';

/**
 * The id of this key tells the entries of platforms in one Redis apart: those of the platform that was backed up may be
 * of a later state. The next process makes another key; cursors of this one stay valid.
 */
const RETIRE_CURSOR_KEY = `
  update signing_keys set retired_at = now()
  where use = 'cursor' and activated_at is not null and retired_at is null`;

const RESTORED_JOBS = `
  create table public.restored_jobs (
    position bigint generated always as identity, identifier text, payload json, priority int, run_at timestamptz,
    attempts int, max_attempts int, last_error text, created_at timestamptz, updated_at timestamptz, key text, flags jsonb)`;

const ADD_TASKS = `
  insert into queue_tasks (identifier) select distinct identifier from public.restored_jobs
  on conflict (identifier) do nothing`;

const ADD_JOBS = `
  insert into queue_jobs (task_id, payload, priority, run_at, attempts, max_attempts, last_error, created_at, updated_at, key, flags)
  select t.id, r.payload, r.priority, r.run_at, r.attempts, r.max_attempts, r.last_error, r.created_at, r.updated_at, r.key, r.flags
  from public.restored_jobs r join queue_tasks t on t.identifier = r.identifier order by r.position`;
