import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { notFound } from '../errors.ts';
import { type FreeForm, selectPart, shown, sizeOf, textOf } from '../http/answers/long-list.queries.ts';
import { listed, type Part } from '../http/answers/long-list.ts';
import { Account } from './account.ts';

const accountAs = (free: FreeForm) => sql.fragment`
  a.id, a.user_id, a.tenant_id, a.name, a.email, a.company, a.phone_number, array_to_string(a.roles, ',') as roles, ${free(sql.fragment`a.metadata`)} as metadata,
  a.activated, a.enabled, a.locked or coalesce(a.locked_out_until > now(), false) as locked,
  case when not a.locked and a.locked_out_until > now() then a.locked_out_until else a.locked_date_end end as locked_date_end, a.no_of_unsuccessful_login_attempts, a.last_login_attempted_date,
  a.last_login_at, a.allow_me_password_change, a.row_version::text as row_version,
  case when exists (select from account_authenticators x where x.user_id = a.user_id and x.proved_at is not null) then 'registered'
    when exists (select from group_members m join group_setup_codes c on c.group_id = m.group_id where m.user_id = a.user_id) then 'required'
    else 'none' end as second_factor,
  array(select g.name from group_members m join user_groups g on g.id = m.group_id where m.user_id = a.user_id
    order by g.name collate "C") as user_groups`;
const account = accountAs(shown);

/** An account in a list. Large metadata is read separately. */
export const ListedAccount = Account.extend({ metadata: z.any() });

/** Metadata of an account as text. */
export const findMetadata = (db: Reads, userId: string) => db.anyFirst(textOf(parts, userId, sql.fragment`a.metadata`));

/** The list of accounts `a`, sorted by login id. */
const parts = {
  table: sql.fragment`accounts`,
  name: sql.fragment`a`,
  id: sql.fragment`a.user_id`,
  key: { column: sql.fragment`a.id`, type: 'text' },
  order: 'Asc',
  from: sql.fragment`from accounts a where true`,
} as const;

export const ACCOUNT_STATES = ['disabled', 'locked', 'notActivated'] as const;

/** Which accounts to list. */
export interface AccountFilter {
  /** Each stands somewhere in login id, name, mail address or company, in any letter case. */
  words: readonly string[];
  state?: (typeof ACCOUNT_STATES)[number] | undefined;
}

const IN_STATE = {
  disabled: sql.fragment`not a.enabled`,
  locked: sql.fragment`(a.locked or a.locked_out_until > now())`,
  notActivated: sql.fragment`not a.activated`,
};

const fits = ({ words, state }: AccountFilter) => sql.fragment`
  not exists (select from unnest(${sql.array(words, 'text')}) word
    where strpos(fold_name(concat_ws(' ', a.id, a.name, a.email, a.company)), fold_name(word)) = 0)
  and ${state === undefined ? sql.fragment`true` : IN_STATE[state]}`;

export const listAccounts = (db: Reads, part: Part, filter: AccountFilter) =>
  db.any(
    sql.type(listed(ListedAccount))`${selectPart(part, {
      ...parts,
      from: sql.fragment`from accounts a where ${fits(filter)}`,
      columns: accountAs,
      size: sizeOf([sql.fragment`a.metadata`, sql.fragment`a.roles`]),
    })}`,
  );

export const LegacyAccount = z.object({
  id: z.string(),
  name: z.string(),
  /** Separated by commas. */
  roles: z.string(),
  activated: z.boolean(),
  passwordHash: z.string(),
});

export const listLegacyAccounts = (db: Reads, part: Part) =>
  db.any(
    sql.type(listed(LegacyAccount))`${selectPart(part, {
      ...parts,
      columns: () => sql.fragment`a.id, a.name, array_to_string(a.roles, ',') as roles, a.activated, a.password_hash`,
      size: sizeOf([sql.fragment`a.roles`]),
    })}`,
  );

export const countAccounts = (db: Reads) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from accounts`);

/** The user of a login id in any letter case. */
export const findUserId = (db: Reads, id: string) =>
  db.maybeOneFirst(sql.type(z.object({ userId: z.string() }))`
    select user_id from accounts where folded_id = fold_name(${id})`);

/** Gets an account by its login id, in any letter case. */
export async function getAccount(db: Reads, id: string): Promise<Account> {
  const found = await db.maybeOne(
    sql.type(Account)`select ${account} from accounts a where a.folded_id = fold_name(${id})`,
  );
  if (!found) throw notFound('Account', id);
  return found;
}

export interface NewAccountRow {
  id: string;
  passwordHash: string;
  name: string;
  tenantId?: string;
  email?: string;
  company?: string;
  phoneNumber?: string;
  roles?: string[];
  metadata?: Record<string, unknown>;
  activated?: boolean;
  enabled?: boolean;
  allowMePasswordChange?: boolean;
  createdBy?: string;
  /** The holder registered it. */
  registered?: boolean;
}

/**
 * Returns the user id. Null if the login id exists. Fires `accounts_not_named_like_a_group`, which skips the insert if
 * a group has that name, and `accounts_cached`, which raises the cache generation of accounts.
 */
export const insertAccount = (tx: Transaction, row: NewAccountRow) =>
  tx.maybeOneFirst(sql.write(z.object({ userId: z.string() }))`
    insert into accounts (id, password_hash, name, tenant_id, email, company, phone_number, roles, metadata, activated, enabled,
      allow_me_password_change, registered, created_by, updated_by)
    values (${row.id}, ${row.passwordHash}, ${row.name}, ${row.tenantId ?? null}, ${row.email ?? null}, ${row.company ?? null},
      ${row.phoneNumber ?? null}, ${sql.array(row.roles ?? [], 'text')}, ${sql.jsonb((row.metadata ?? {}) as never)},
      ${row.activated ?? true}, ${row.enabled ?? true}, ${row.allowMePasswordChange ?? true}, ${row.registered ?? false},
      ${row.createdBy ?? null}, ${row.createdBy ?? null})
    on conflict (folded_id) do nothing
    returning user_id`);

export const findMailAddress = (db: Reads, userId: string) =>
  db.maybeOne(sql.type(z.object({ id: z.string(), email: z.string().optional(), activated: z.boolean() }))`
    select id, email, activated from accounts where user_id = ${userId}`);

/** Returns the login id. Fires `accounts_cached`, which raises the cache generation of accounts. */
export const activate = (tx: Transaction, userId: string) =>
  tx.oneFirst(sql.write(z.object({ id: z.string() }))`
    update accounts set activated = true, updated_at = now() where user_id = ${userId} returning id`);

export async function getAccountByUserId(db: Reads, userId: string): Promise<Account> {
  const found = await db.maybeOne(sql.type(Account)`select ${account} from accounts a where a.user_id = ${userId}`);
  if (!found) throw notFound('Account', userId);
  return found;
}

/** `getAccountByUserId` with a lock until `tx` ends. */
export async function lockAccount(tx: Transaction, userId: string): Promise<Account> {
  await tx.query(sql.unsafe`select from accounts where user_id = ${userId} for no key update`);
  return getAccountByUserId(tx, userId);
}

/** Changed columns. Contact data that are absent become null; other absent members keep their values. */
export interface ChangedAccountRow {
  name: string;
  email?: string | undefined;
  company?: string | undefined;
  phoneNumber?: string | undefined;
  roles?: string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
  activated?: boolean | undefined;
  enabled?: boolean | undefined;
  locked?: boolean | undefined;
  lockedDateEnd?: string | undefined;
  allowMePasswordChange?: boolean | undefined;
  updatedBy: string;
}

/**
 * Unlocking an account resets its failed attempts. Fires `accounts_cached`, which raises the cache generation of
 * accounts.
 */
export const updateAccount = (tx: Transaction, userId: string, row: ChangedAccountRow) =>
  tx.query(sql.unsafe`
    update accounts set name = ${row.name}, email = ${row.email ?? null}, company = ${row.company ?? null},
      phone_number = ${row.phoneNumber ?? null},
      roles = coalesce(${row.roles ? sql.array(row.roles, 'text') : null}, roles),
      metadata = coalesce(${row.metadata ? sql.jsonb(row.metadata as never) : null}, metadata),
      activated = coalesce(${row.activated ?? null}, activated), enabled = coalesce(${row.enabled ?? null}, enabled),
      locked = coalesce(${row.locked ?? null}, locked),
      locked_date_end = case when ${row.locked === undefined && row.lockedDateEnd === undefined} then locked_date_end
        else ${row.lockedDateEnd ?? null}::timestamptz end,
      locked_out_until = case when ${row.locked === false} then null else locked_out_until end,
      no_of_unsuccessful_login_attempts = case when ${row.locked === false} then 0 else no_of_unsuccessful_login_attempts end,
      allow_me_password_change = coalesce(${row.allowMePasswordChange ?? null}, allow_me_password_change),
      updated_at = now(), updated_by = ${row.updatedBy}
    where user_id = ${userId}`);

/**
 * Locks projects and datasets whose permissions name it first. Fires `accounts_permissions_ended`, which ends what
 * permissions allow the account, and `accounts_cached`, which raises the cache generation of accounts.
 */
export async function deleteAccount(tx: Transaction, { userId, id }: Pick<Account, 'userId' | 'id'>) {
  await tx.query(sql.unsafe`select lock_entities_permitting(array[${id}])`);
  await tx.query(sql.unsafe`delete from accounts where user_id = ${userId}`);
}

/**
 * Condition: the mailed token has expired, and nothing else concerns the account: no change, no tenant, no pending
 * mail, no valid token.
 */
const neverActivated = (lifetimeMs: number) => sql.fragment`
  a.registered and not a.activated and a.created_at < now() - ${lifetimeMs} * interval '1 millisecond' and a.updated_at = a.created_at
  and a.tenant_id is null and not exists (select from tenant_members m where m.user_id = a.user_id)
  and not exists (select from account_mails m where m.user_id = a.user_id)
  and not exists (select from account_tokens t where t.user_id = a.user_id and t.expires_at > now())`;

/** User ids in ascending order, after `after`. */
export const listNeverActivated = (db: Reads, lifetimeMs: number, limit: number, after: string | undefined) =>
  db.any(sql.type(z.object({ id: z.string() }))`
    select a.user_id as id from accounts a
    where ${neverActivated(lifetimeMs)} and a.user_id > coalesce(${after ?? null}::uuid, '00000000-0000-0000-0000-000000000000')
    order by a.user_id limit ${limit}`);

/**
 * Deletes those of the accounts that are still not activated. Returns their login ids. Fires `accounts_cached`, which
 * raises the cache generation of accounts; not `accounts_permissions_ended`, so that a registration cannot end what is
 * meant for another person.
 */
export const deleteNeverActivated = (tx: Transaction, lifetimeMs: number, userIds: readonly string[]) =>
  tx.anyFirst(sql.write(z.object({ id: z.string() }))`
    delete from accounts where user_id in (
      select a.user_id from accounts a
      where a.user_id = any(${sql.array(userIds, 'uuid')}) and ${neverActivated(lifetimeMs)} for update skip locked)
    returning id`);

export const userExists = (db: Reads, userId: string) =>
  db.exists(sql.unsafe`select from accounts where user_id = ${userId}`);

/** Makes the tenant the home tenant of an account that has none. */
export const setMissingHomeTenant = (tx: Transaction, userId: string, tenantId: string) =>
  tx.query(sql.unsafe`update accounts set tenant_id = ${tenantId} where user_id = ${userId} and tenant_id is null`);

export const isHomeTenant = (db: Reads, tenantId: string, userId: string) =>
  db.exists(sql.unsafe`select from accounts where user_id = ${userId} and tenant_id = ${tenantId}`);

/** Accounts whose home is this tenant, but that are not its members, get another of their tenants as home, or none. */
export const replaceHomeTenant = (tx: Transaction, tenantId: string) =>
  tx.query(sql.unsafe`
    update accounts a set tenant_id = (select min(m.tenant_id::text)::uuid from tenant_members m where m.user_id = a.user_id)
    where a.tenant_id = ${tenantId}
      and not exists (select from tenant_members m where m.user_id = a.user_id and m.tenant_id = ${tenantId})`);
