import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

export const getServer = (db: Reads) =>
  db.one(sql.type(z.object({ version: z.string(), number: z.number(), role: z.string() }))`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number, current_user::text as role`);

/** Milliseconds since 1970, by the clock of the database. */
export const getTime = (db: Reads) =>
  db.oneFirst(
    sql.type(z.object({ time: z.number() }))`select extract(epoch from clock_timestamp())::float8 * 1000 as time`,
  );

export const countConnections = (db: Reads) =>
  db.one(sql.type(z.object({ used: z.number(), most: z.number() }))`
    select count(*) filter (where backend_type = 'client backend') as used,
      (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - current_setting('reserved_connections')::int) as most
    from pg_stat_activity`);

const Bloated = z.object({ name: z.string(), dead: z.number(), live: z.number() });

/** Tables with more dead rows than this number, and than this share of their rows. */
export const listBloated = (db: Reads, rows: number, share: number) =>
  db.any(sql.type(Bloated)`
    select relname::text as name, n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
    where n_dead_tup > ${rows}::bigint and n_dead_tup > ${share}::float8 * n_live_tup order by n_dead_tup desc limit 5`);

/** Age of the oldest open transaction in seconds: rows that died since then stay. */
export const findOldestTransaction = (db: Reads) =>
  db.maybeOne(sql.type(z.object({ seconds: z.number(), pid: z.number(), program: z.string() }))`
    select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, pid, application_name as program
    from pg_stat_activity where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()
    order by xact_start limit 1`);

/** Transactions since the oldest frozen one; Postgres stops at two thousand million. */
export const getTransactionAge = (db: Reads) =>
  db.oneFirst(sql.type(z.object({ age: z.number() }))`
    select age(datfrozenxid)::bigint as age from pg_database where datname = current_database()`);

const Replica = z.object({ name: z.string(), state: z.string().optional(), lagBytes: z.number().optional() });

/** Servers that get the log of this one. A role without rights to monitor does not see how far they are. */
export const listReplicas = (db: Reads) =>
  db.any(sql.type(Replica)`
    select application_name as name, state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint as lag_bytes
    from pg_stat_replication where not pg_is_in_recovery()`);

const Slot = z.object({ name: z.string(), bytes: z.number() });

/** Replication slots that nobody reads, and the bytes of log that they keep. */
export const listIdleSlots = (db: Reads) =>
  db.any(sql.type(Slot)`
    select slot_name::text as name, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint as bytes
    from pg_replication_slots where not active and not pg_is_in_recovery()`);
