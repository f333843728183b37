import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { refuseUnfinished } from '../../platform/postgres/unfinished-restore.ts';

/** Settings of connections of backups: nothing ends them, and values have one text on all servers. */
export const SESSION = `
  set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set idle_session_timeout = 0;
  set lock_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 3; set bytea_output = 'hex'`;

/** The server ends the session of a process that is silent for this time, so that its locks do not stay for ever. */
const HUNG_MS = 15 * 60_000;
/** How often in that time a process that only copies blobs says that it works. */
const SIGNS = 15;

/** A blob that the snapshot names. */
export interface NamedBlob {
  name: string;
  /** What it must contain, if the database knows. */
  size: number | null;
  digest: string | null;
}

export interface SnapshotState {
  /** ISO 8601. */
  time: string;
  migrations: { name: string; sha256: string }[];
  tables: { name: string; columns: string[] }[];
  sequences: { name: string; value: string }[];
  secretKey: string | undefined;
  /** Identity of cluster and database. */
  database: string;
}

/**
 * One state of the database. While it is open, no other backup of this database is made, and nobody deletes blobs that
 * rows have named.
 */
export class Snapshot {
  readonly #client: pg.Client;
  readonly #lost = new AbortController();
  readonly #onStop: () => void;
  readonly #stop: AbortSignal;
  #signs: NodeJS.Timeout | undefined;

  private constructor(url: string, stop: AbortSignal) {
    this.#client = new pg.Client({ connectionString: url, application_name: 'platform backup', keepAlive: true });
    this.#stop = stop;
    const lost = () => this.#lost.abort(new Error('The connection with the database is lost. Make the backup again.'));
    this.#client.on('error', lost);
    this.#client.on('end', lost);
    this.#onStop = () => void this.#client.connection.stream.destroy();
    stop.addEventListener('abort', this.#onStop, { once: true });
  }

  /**
   * @param url of a role that may read all tables
   * @param hungMs silence after which the server takes the process for hung, and ends the backup
   */
  static async open(url: string, stop: AbortSignal, hungMs = HUNG_MS): Promise<Snapshot> {
    stop.throwIfAborted();
    const snapshot = new Snapshot(url, stop);
    try {
      await snapshot.#client.connect();
      await snapshot.#begin(hungMs);
      return snapshot;
    } catch (error) {
      await snapshot.close();
      throw stop.aborted ? stop.reason : error;
    }
  }

  async #begin(hungMs: number): Promise<void> {
    const client = this.#client;
    await client.query(SESSION);
    // the last one: of a process that reads no more rows, although its machine still answers
    await client.query(`
      set idle_in_transaction_session_timeout = ${hungMs}; set idle_session_timeout = ${hungMs}; set tcp_user_timeout = ${hungMs}`);
    let isAnswered = true;
    const sign = async () => {
      if (!isAnswered) return;
      isAnswered = false;
      // an error is one of the connection
      await client.query('select').catch(() => undefined);
      isAnswered = true;
    };
    this.#signs = setInterval(() => void sign(), hungMs / SIGNS).unref();
    const { rows } = await client.query<{ free: boolean; there: boolean }>(`
      select pg_try_advisory_lock(hashtextextended('backup', 0)) as free, to_regclass('migrations') is not null as there`);
    if (!rows[0]?.free) throw new Error('Another backup of this database is being made. Try again when it has ended.');
    if (!rows[0].there) throw new Error('The database of the settings has no tables yet: there is nothing to back up.');
    await refuseUnfinished(client);
    await client.query(`select pg_advisory_lock(hashtextextended('blob deletions', 0))`);
    const tables = (await listTables(client)).map(({ name }) => pg.escapeIdentifier(name));
    await client.query('begin isolation level repeatable read read only');
    // a migration could rewrite a table later, and the snapshot would see none of its rows
    await client.query(`lock table ${tables.join(', ')} in access share mode`);
  }

  /** Aborted when the connection, and so the snapshot, is lost, or the caller stops. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#stop, this.#lost.signal]);
  }

  async state(): Promise<SnapshotState> {
    const client = this.#client;
    const { rows } = await client.query<{ time: Date; secret: string | null; database: string }>(`
      select now() as time, (select id from secret_keys) as secret, s.system_identifier || '/' || d.oid as database
      from pg_control_system() s, pg_database d where d.datname = current_database()`);
    const { time, secret, database } = rows[0]!;
    return {
      time: time.toISOString(),
      migrations: (await client.query(MIGRATIONS)).rows,
      tables: await listTables(client),
      sequences: (await client.query(SEQUENCES)).rows,
      secretKey: secret ?? undefined,
      database,
    };
  }

  /** The rows of a table in the text format of `COPY`. */
  copyTable({ name, columns }: { name: string; columns: readonly string[] }): Readable {
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
    return this.#client.query(copyTo(`copy ${pg.escapeIdentifier(name)} (${list}) to stdout`));
  }

  /** The jobs of the queue. A job that runs now was taken and has not failed: it is copied as one that waits. */
  copyJobs(): Readable {
    return this.#client.query(
      copyTo(`copy (
        select t.identifier, j.payload, j.priority, j.run_at,
          case when j.locked_at is null then j.attempts else greatest(j.attempts - 1, 0) end,
          j.max_attempts, j.last_error, j.created_at, j.updated_at, j.key, j.flags
        from queue_jobs j join queue_tasks t on t.id = j.task_id order by j.id) to stdout`),
    );
  }

  async listBlobs(): Promise<NamedBlob[]> {
    const { rows } = await this.#client.query<NamedBlob>(`
      select n.name, d.size::float8 as size, d.digest
      from (select distinct name from named_blobs) n left join blob_digests d on d.name = n.name order by n.name`);
    return rows;
  }

  /** Gives the snapshot up: rows may be vacuumed and tables changed again. Blobs are still kept. */
  async endRows(): Promise<void> {
    await this.#client.query('commit');
  }

  async close(): Promise<void> {
    clearInterval(this.#signs);
    this.#stop.removeEventListener('abort', this.#onStop);
    await this.#client.end().catch(() => {});
  }
}

/** Migrations stand in the manifest; previews and their stores are made again. */
const LEFT_OUT = ['migrations', 'previews'];

/** All tables but these, and unlogged ones, which also hold what can be made again. */
const listTables = async (client: pg.Client): Promise<{ name: string; columns: string[] }[]> =>
  (
    await client.query(
      `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
        and c.relname <> all($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      group by c.relname order by c.relname`,
      [LEFT_OUT],
    )
  ).rows;

/** Without those that the baseline replaced. */
const MIGRATIONS = `
  select name, sha256 from migrations
  where name ~ '^[0-9]{4}_' and applied_at >= (select applied_at from migrations where name = '0001_baseline.sql')
  order by name`;

/** Those that were used. Their values are never older than the snapshot. */
const SEQUENCES = `
  select sequencename as name, last_value::text as value from pg_sequences
  where schemaname = 'public' and last_value is not null order by sequencename`;
