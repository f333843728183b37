import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { FileEntry } from './account-file.ts';

/** Any number that no other advisory lock of this database uses. */
const LOCK = 7_201_955;

export const lockMirror = (tx: Db) => tx.query(sql.unsafe`select pg_advisory_xact_lock(${LOCK})`);

/** SHA-256 of the file that the table is a copy of. */
export const findMirrored = (tx: Db) =>
  tx.maybeOneFirst(sql.type(z.object({ sha256: z.instanceof(Buffer) }))`select sha256 from account_file`);

export const noteMirrored = (tx: Db, sha256: Buffer) =>
  tx.query(sql.unsafe`
    insert into account_file (sha256) values (${sql.binary(sha256)}) on conflict (one) do update set sha256 = excluded.sha256`);

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

/** All accounts, as the file says them. */
export const listEntries = (tx: Db) =>
  tx.any(sql.type(Row)`
    select id, user_id, name, email, company, phone_number, roles, metadata, password_hash, activated, enabled, locked,
      locked_date_end, allow_me_password_change, registered
    from accounts order by id collate "C"`);

const Twins = z.object({ first: z.number(), second: z.number() });

/** The first two of these login ids that are the same but for their letter case: where they stand in the list, from 0. */
export const findTwins = (tx: Db, ids: readonly string[]) =>
  tx.maybeOne(sql.type(Twins)`
    select first, second from (
      select n - 1 as second, lag(n) over (partition by fold_name(id) order by n) - 1 as first
      from unnest(${sql.array(ids, 'text')}) with ordinality e (id, n)) e
    where first is not null order by second limit 1`);

/** Accounts that the file has no more. Theirs are those with its user ids; an account added by hand has none yet and is known by its login id. */
export const deleteOthers = (tx: Db, entries: readonly FileEntry[]) =>
  tx.query(sql.unsafe`
    delete from accounts a where not exists (
      select from jsonb_to_recordset(${sql.jsonb(entries as never)}) as e("userId" uuid, id text)
      where e."userId" = a.user_id or (e."userId" is null and fold_name(e.id) = a.folded_id))`);

/**
 * Makes the table say what the file says. Logins end where a password, or the right to sign in, is another than before, and an unlock
 * lets the account begin with no failed attempt.
 */
export async function putEntries(tx: Db, entries: readonly FileEntry[]) {
  const file = sql.fragment`jsonb_to_recordset(${sql.jsonb(entries as never)}) as e(id text, "userId" uuid, name text, email text,
    company text, "phoneNumber" text, roles text[], metadata jsonb, "passwordHash" text, activated boolean, enabled boolean,
    locked boolean, "lockedDateEnd" timestamptz, "allowMePasswordChange" boolean, registered boolean)`;
  const known = sql.fragment`(e."userId" = a.user_id or (e."userId" is null and fold_name(e.id) = a.folded_id))`;
  await tx.query(sql.unsafe`
    update refresh_families f set revoked_at = now() from accounts a join ${file} on ${known}
    where f.user_id = a.user_id and f.revoked_at is null
      and (e."passwordHash" <> a.password_hash or not e.enabled or not e.activated
        or (e.locked and coalesce(e."lockedDateEnd" > now(), true)))`);
  // ids that change places would meet on their way
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

/** Whether an administrator can sign in: changes by hand must leave one. */
export const hasAdministratorWho = (tx: Db) =>
  tx.exists(sql.unsafe`
    select from group_members m join accounts a using (user_id)
    where m.group_id = 'Administrators' and a.enabled and a.activated
      and not (a.locked and (a.locked_date_end is null or a.locked_date_end > now()))`);
