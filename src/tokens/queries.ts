import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import type { Origin } from '../http/rules/origin.ts';

// SQL of logins: who logged in from where, the identity behind tokens, token families and refresh tokens.

/**
 * Counts a login of the account from this address: one row per day and address. Returns whether it is the first one
 * of the day.
 */
export const recordLogin = (tx: Transaction, userId: string, address: string) =>
  tx.oneFirst(sql.write(z.object({ isFirst: z.boolean() }))`
    with seen as (update accounts set last_login_at = now() where user_id = ${userId})
    insert into logins as l (user_id, address, day) values (${userId}, ${address}, current_date)
    on conflict (user_id, address, day) do update set times = l.times + 1, last_at = now()
    returning times = 1 as is_first`);

export const deleteOldLogins = (tx: Transaction, days: number) =>
  tx.query(sql.unsafe`delete from logins where day < current_date - ${days}::integer`);

/** An account with everything that its permissions depend on, as it is now, whatever its tokens say. */
const Identity = z.object({
  userId: z.string(),
  accountId: z.string(),
  foldedId: z.string(),
  name: z.string(),
  email: z.string().optional(),
  enabled: z.boolean(),
  activated: z.boolean(),
  tenantId: z.string().optional(),
  roles: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  groups: z.array(z.string()),
  tenants: z.array(z.object({ id: z.string(), role: z.enum(['Owner', 'Member']) })),
});
export type Identity = z.infer<typeof Identity>;

const identity = sql.fragment`
    select a.user_id, a.id as account_id, a.folded_id, a.name, a.email, a.enabled, a.activated, a.tenant_id, a.roles, a.metadata,
      array(select g.name from group_members m join user_groups g on g.id = m.group_id where m.user_id = a.user_id
        order by g.name collate "C") as groups,
      coalesce((select jsonb_agg(jsonb_build_object('id', m.tenant_id, 'role', m.role) order by m.tenant_id)
        from tenant_members m where m.user_id = a.user_id), '[]') as tenants
    from accounts a`;

export const findIdentity = (db: Reads, userId: string) =>
  db.maybeOne(sql.type(Identity)`${identity} where a.user_id = ${userId}`);

/**
 * What an access token says about its login. Tokens of before 0079 have no family: they have the time of their issue.
 */
export type LoginOfToken = { familyId: string } | { issuedAt: Date };

/** The account of an access token, if the login of the token is active. */
export const findIdentityOfLogin = (db: Reads, userId: string, login: LoginOfToken) =>
  db.maybeOne(sql.type(Identity)`${identity} where a.user_id = ${userId} and ${isActive(login)}`);

const isActive = (login: LoginOfToken) =>
  'familyId' in login
    ? sql.fragment`exists (
        select from refresh_families f
        where f.id = ${login.familyId} and f.user_id = a.user_id and f.revoked_at is null and f.expires_at > now())`
    : // it may have been any login that has ended since
      sql.fragment`not exists (
        select from refresh_families f
        where f.user_id = a.user_id and f.revoked_at >= ${login.issuedAt.toISOString()}::timestamptz)`;

/** Finds an identity by its login id, in exact spelling. */
export const findIdentityByLoginId = (db: Reads, id: string) =>
  db.maybeOne(sql.type(Identity)`${identity} where a.folded_id = fold_name(${id}) and a.id = ${id}`);

/** A token family: a login with all the refresh tokens that are exchanged for one another. */
const Family = z.object({
  familyId: z.string(),
  userId: z.string(),
  /** The time of the login. Milliseconds since 1970. */
  since: z.number(),
  /** Milliseconds since 1970. */
  until: z.number(),
  /** Which cookie of a browser keeps the refresh token; absent: none. */
  cookie: z.enum(['session', 'persistent']).optional(),
});
export type Family = z.infer<typeof Family>;

const family = sql.fragment`f.id as family_id, f.user_id,
  f.cookie,
  (extract(epoch from f.created_at) * 1000)::float8 as since, (extract(epoch from f.expires_at) * 1000)::float8 as until`;

/** How a token family starts. */
export interface FamilyStart {
  lifetimeMs: number;
  /** Whether the family gets refresh tokens. */
  refreshes: boolean;
  cookie?: Family['cookie'];
  origin: Pick<Origin, 'address' | 'agent'>;
}

export const insertFamily = (tx: Transaction, userId: string, { lifetimeMs, refreshes, cookie, origin }: FamilyStart) =>
  tx.one(sql.write(Family)`
    insert into refresh_families as f (user_id, expires_at, refreshes, cookie, agent, address)
    values (${userId}, now() + ${lifetimeMs} * interval '1 millisecond', ${refreshes}, ${cookie ?? null},
      ${origin.agent ?? null}, ${origin.address})
    returning ${family}`);

/** The token expires with its family at the latest. Returns when. */
export const insertRefreshToken = (tx: Transaction, hash: Buffer, familyId: string, lifetimeMs: number) =>
  tx.oneFirst(sql.write(z.object({ expiresAt: z.string() }))`
    insert into refresh_tokens (hash, family_id, expires_at)
    select ${sql.binary(hash)}, id, least(expires_at, now() + ${lifetimeMs} * interval '1 millisecond')
    from refresh_families where id = ${familyId}
    returning expires_at`);

const FamilyOfToken = z.object({ familyId: z.string(), userId: z.string() });

/** The family of a refresh token, whatever the state of either. */
export const findFamily = (db: Reads, hash: Buffer) =>
  db.maybeOne(sql.type(Family)`
    select ${family} from refresh_tokens t join refresh_families f on f.id = t.family_id
    where t.hash = ${sql.binary(hash)}`);

/**
 * Marks a refresh token as used. Of concurrent calls one gets the row; none does if it is used, expired, revoked or
 * unknown.
 */
export const useRefreshToken = (tx: Transaction, hash: Buffer, address: string) =>
  tx.maybeOne(sql.write(FamilyOfToken)`
    update refresh_tokens t set used_at = now(), used_from = ${address} from refresh_families f
    where t.hash = ${sql.binary(hash)} and f.id = t.family_id and t.used_at is null and t.expires_at > now()
      and f.expires_at > now() and f.revoked_at is null
    returning f.id as family_id, f.user_id`);

/** Stores the encrypted answer to an exchange, for a replay. */
export const storeAnswer = (tx: Transaction, hash: Buffer, sealed: Buffer) =>
  tx.query(
    sql.unsafe`update refresh_tokens set sealed_answer = ${sql.binary(sealed)} where hash = ${sql.binary(hash)}`,
  );

const UnusableToken = FamilyOfToken.extend({
  revoked: z.boolean(),
  used: z.boolean(),
  /** Used longer ago than the leeway, or by another address: a sign of theft. */
  reused: z.boolean(),
  /** Encrypted answer to its exchange; only for the same address and within `replayMs`. */
  answer: z.instanceof(Buffer).optional(),
});

/** Tells why a refresh token could not be used. */
export const findUnusableToken = (
  tx: Transaction,
  hash: Buffer,
  { address, leewayMs, replayMs }: { address: string; leewayMs: number; replayMs: number },
) =>
  tx.maybeOne(sql.type(UnusableToken)`
    select f.id as family_id, f.user_id, f.revoked_at is not null as revoked, t.used_at is not null as used,
      t.used_at is not null and (t.used_from is distinct from ${address}
        or clock_timestamp() - t.used_at > ${leewayMs} * interval '1 millisecond') as reused,
      case when t.used_from = ${address} and clock_timestamp() - t.used_at < ${replayMs} * interval '1 millisecond'
        then t.sealed_answer end as answer
    from refresh_tokens t join refresh_families f on f.id = t.family_id where t.hash = ${sql.binary(hash)}`);

/** Returns true if this call revoked the family, false if it was revoked before. */
export async function revokeFamily(tx: Transaction, familyId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    update refresh_families set revoked_at = now() where id = ${familyId} and revoked_at is null`);
  return rowCount > 0;
}

/** Whether a refresh token has not been exchanged and its family is not revoked. */
export const isUnused = (tx: Transaction, hash: Buffer) =>
  tx.exists(sql.unsafe`
    select from refresh_tokens t join refresh_families f on f.id = t.family_id
    where t.hash = ${sql.binary(hash)} and t.used_at is null and f.revoked_at is null`);
