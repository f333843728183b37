import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import type { FileEntry } from './account-file.ts';

/** Key of the advisory lock, unique in this database. */
const LOCK = 7_201_955;

/** Locks the account file and its copy, over all processes, until `tx` ends. */
export const lockFile = (tx: Transaction) => tx.query(sql.unsafe`select pg_advisory_xact_lock(${LOCK})`);

const State = z.object({
  /** SHA-256 of the text that the table is a copy of. */
  sha256: z.instanceof(Buffer),
  /** That text, if it is not known whether the file has it yet. */
  pending: z.string().optional(),
  /** SHA-256 of the file that it replaces; absent: there was none. */
  replaces: z.instanceof(Buffer).optional(),
});

export const findFileState = (tx: Transaction) =>
  tx.maybeOne(sql.type(State)`select sha256, pending, replaces from account_file`);

/** The table is a copy of the file. */
export const storeCopiedHash = (tx: Transaction, sha256: Buffer) =>
  tx.query(sql.unsafe`
    insert into account_file (sha256) values (${sql.binary(sha256)})
    on conflict (one) do update set sha256 = excluded.sha256, pending = null, replaces = null`);

/** The table is a copy of a text that the file gets after the commit. */
export const storePending = (
  tx: Transaction,
  { sha256, text, replaces }: { sha256: Buffer; text: string; replaces: Buffer | undefined },
) =>
  tx.query(sql.unsafe`
    insert into account_file (sha256, pending, replaces)
    values (${sql.binary(sha256)}, ${text}, ${replaces === undefined ? null : sql.binary(replaces)})
    on conflict (one) do update set sha256 = excluded.sha256, pending = excluded.pending, replaces = excluded.replaces`);

const Row = z.object({
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  email: z.string().optional(),
  company: z.string().optional(),
  phoneNumber: z.string().optional(),
  roles: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  passwordHash: z.string(),
  activated: z.boolean(),
  enabled: z.boolean(),
  locked: z.boolean(),
  lockedDateEnd: z.string().optional(),
  allowMePasswordChange: z.boolean(),
  registered: z.boolean(),
});

/** All accounts as entries of the file. */
export const listEntries = (tx: Transaction) =>
  tx.any(sql.type(Row)`
    select id, user_id, name, email, company, phone_number, roles, metadata, password_hash, activated, enabled, locked,
      locked_date_end, allow_me_password_change, registered
    from accounts order by id collate "C"`);

const Duplicate = z.object({ first: z.number(), second: z.number() });

/** Indexes (from 0) of the first two login ids that are equal except for letter case. */
export const findDuplicateIds = (tx: Transaction, ids: readonly string[]) =>
  tx.maybeOne(sql.type(Duplicate)`
    select first, second from (
      select n - 1 as second, lag(n) over (partition by fold_name(id) order by n) - 1 as first
      from unnest(${sql.array(ids, 'text')}) with ordinality e (id, n)) e
    where first is not null order by second limit 1`);

/**
 * Deletes accounts without an entry. Entries match by user id, or by login id if they have no user id. Locks projects
 * and datasets whose permissions name them first. Fires `accounts_permissions_ended`, which ends what permissions allow
 * the account, and `accounts_cached`, which raises the cache generation of accounts.
 */
export async function deleteOthers(tx: Transaction, entries: readonly FileEntry[]) {
  const isOther = sql.fragment`not exists (
    select from jsonb_to_recordset(${sql.jsonb(entries as never)}) as e("userId" uuid, id text)
    where e."userId" = a.user_id or (e."userId" is null and fold_name(e.id) = a.folded_id))`;
  await tx.query(sql.unsafe`select lock_entities_permitting(array(select a.id from accounts a where ${isOther}))`);
  await tx.query(sql.unsafe`delete from accounts a where ${isOther}`);
}

/**
 * Inserts and updates accounts from entries. Ends the logins of accounts whose password changes or that may no longer
 * sign in. Fires `accounts_not_named_like_a_group`, which skips new accounts with the name of a group,
 * `accounts_permissions_renamed`, which makes permissions follow login ids, and `accounts_cached`, which raises the
 * cache generation of accounts.
 */
export async function putEntries(tx: Transaction, entries: readonly FileEntry[]) {
  const file = sql.fragment`jsonb_to_recordset(${sql.jsonb(entries as never)}) as e(id text, "userId" uuid, name text, email text,
    company text, "phoneNumber" text, roles text[], metadata jsonb, "passwordHash" text, activated boolean, enabled boolean,
    locked boolean, "lockedDateEnd" timestamptz, "allowMePasswordChange" boolean, registered boolean)`;
  const known = sql.fragment`(e."userId" = a.user_id or (e."userId" is null and fold_name(e.id) = a.folded_id))`;
  await tx.query(sql.unsafe`
    update refresh_families f set revoked_at = now() from accounts a join ${file} on ${known}
    where f.user_id = a.user_id and f.revoked_at is null
      and (e."passwordHash" <> a.password_hash or not e.enabled or not e.activated
        or (e.locked and coalesce(e."lockedDateEnd" > now(), true)))`);
  // frees login ids first: two accounts may swap theirs
  await tx.query(sql.unsafe`
    update accounts a set id = 'renamed ' || a.user_id from ${file} where e."userId" = a.user_id and fold_name(e.id) <> a.folded_id`);
  await tx.query(sql.unsafe`
    update accounts a set id = e.id, name = e.name, email = e.email, company = e.company, phone_number = e."phoneNumber",
      roles = e.roles, metadata = e.metadata, password_hash = e."passwordHash", activated = e.activated, enabled = e.enabled,
      locked = e.locked, locked_date_end = e."lockedDateEnd", allow_me_password_change = e."allowMePasswordChange",
      registered = e.registered, updated_at = now()
    from ${file}
    where ${known} and (a.id, a.name, a.email, a.company, a.phone_number, a.roles, a.metadata, a.password_hash, a.activated, a.enabled,
        a.locked, a.locked_date_end, a.allow_me_password_change, a.registered)
      is distinct from (e.id, e.name, e.email, e.company, e."phoneNumber", e.roles, e.metadata, e."passwordHash", e.activated, e.enabled,
        e.locked, e."lockedDateEnd", e."allowMePasswordChange", e.registered)`);
  await tx.query(sql.unsafe`
    insert into accounts (user_id, id, name, email, company, phone_number, roles, metadata, password_hash, activated, enabled, locked,
      locked_date_end, allow_me_password_change, registered)
    select coalesce(e."userId", uuidv7()), e.id, e.name, e.email, e.company, e."phoneNumber", e.roles, e.metadata, e."passwordHash",
      e.activated, e.enabled, e.locked, e."lockedDateEnd", e."allowMePasswordChange", e.registered
    from ${file} where not exists (select from accounts a where ${known})`);
}
