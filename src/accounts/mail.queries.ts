import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** What a mail's reader has to show. */
export type TokenKind = 'activation' | 'passwordReset';

const Kind = z.enum(['activation', 'passwordReset', 'passwordResetAsked', 'idTaken']);
const MailRow = z.object({
  id: z.string(),
  kind: Kind,
  userId: z.string().optional(),
  recipient: z.string().optional(),
  asked: z.string().optional(),
  address: z.string().optional(),
  requestId: z.string().optional(),
});
export type MailRow = z.infer<typeof MailRow>;

/** Nothing when the same was asked for and is still to be done. */
export const insertMail = (tx: Db, mail: Omit<MailRow, 'id'>) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    insert into account_mails (kind, user_id, recipient, asked, address, request_id)
    values (${mail.kind}, ${mail.userId ?? null}, ${mail.recipient ?? null}, ${mail.asked ?? null}, ${mail.address ?? null},
      ${mail.requestId ?? null})
    on conflict (lower(asked)) where kind = 'passwordResetAsked' do nothing
    returning id`);

export const findMail = (db: Db, id: string) =>
  db.maybeOne(sql.type(MailRow)`
    select id, kind, user_id, recipient, asked, address, request_id from account_mails where id = ${id}`);

/** The same, held against another worker's hands until `tx` ends. */
export const lockMail = (tx: Db, id: string) =>
  tx.maybeOne(sql.type(MailRow)`
    select id, kind, user_id, recipient, asked, address, request_id from account_mails where id = ${id} for update`);

export const deleteMail = (tx: Db, id: string) => tx.query(sql.unsafe`delete from account_mails where id = ${id}`);

/** Accounts that a person means by a login id or an e-mail address, and that may get a mail: those that got many lately wait. */
export const findAddressees = (db: Db, asked: string, { most, mostEach }: { most: number; mostEach: number }) =>
  db.any(sql.type(z.object({ userId: z.string(), id: z.string() }))`
    select a.user_id, a.id from accounts a
    where (a.folded_id = fold_name(${asked}) or lower(a.email) = lower(${asked})) and a.email is not null and a.enabled
      and (select count(*) from account_tokens t where t.user_id = a.user_id and t.kind = 'passwordReset'
        and t.created_at > now() - interval '1 hour') < ${mostEach}
    order by a.folded_id = fold_name(${asked}) desc, a.id limit ${most}`);

export const insertToken = (tx: Db, userId: string, kind: TokenKind, hash: Buffer, lifetimeMs: number) =>
  tx.query(sql.unsafe`
    insert into account_tokens (hash, user_id, kind, expires_at)
    values (${sql.binary(hash)}, ${userId}, ${kind}, now() + ${lifetimeMs} * interval '1 millisecond')`);

/** Whose token it is, while it is valid. */
export const findTokenHolder = (tx: Db, kind: TokenKind, hash: Buffer) =>
  tx.maybeOneFirst(sql.type(z.object({ userId: z.string() }))`
    select user_id from account_tokens where kind = ${kind} and hash = ${sql.binary(hash)} and expires_at > now()`);

/** Uses up all tokens of this kind. Of several at once one is told that there were some. */
export async function useTokens(tx: Db, userId: string, kind: TokenKind): Promise<boolean> {
  const { rowCount } = await tx.query(
    sql.unsafe`delete from account_tokens where user_id = ${userId} and kind = ${kind} and expires_at > now()`,
  );
  return rowCount > 0;
}

/** Ends all mailed tokens of an account: their mails went to an address that is not the account's any more. */
export const deleteTokens = (tx: Db, userId: string) =>
  tx.query(sql.unsafe`delete from account_tokens where user_id = ${userId}`);

/** Ends the mailed resets of an account whose password has just changed. Its activation stays: it proves who reads the mails, whatever the password. */
export const deleteResetTokens = (tx: Db, userId: string) =>
  tx.query(sql.unsafe`delete from account_tokens where user_id = ${userId} and kind = 'passwordReset'`);

export const deleteExpiredTokens = (db: Db) =>
  db.query(sql.unsafe`delete from account_tokens where expires_at <= now()`);

/**
 * Mails that were ordered an hour ago or earlier and that no row of the queue will ever send: it was tried in vain as often as it may be.
 * `old`: longer ago than anybody waits for a mail.
 */
export const listStrandedMails = (db: Db, oldMs: number, most: number) =>
  db.any(sql.type(z.object({ id: z.string(), old: z.boolean() }))`
    select id, created_at < now() - ${oldMs} * interval '1 millisecond' as old from account_mails m
    where created_at < now() - interval '1 hour' and not exists (
      select from graphile_worker._private_jobs job
      where job.key = m.id::text and (job.attempts < job.max_attempts or job.locked_at is not null))
    order by created_at, id limit ${most}`);

/** How many wait to be sent, counted up to a limit. */
export const countMails = (db: Db, most: number) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from (select from account_mails limit ${most}) m`);

/** How many mails of registrations within an hour. */
export interface MailBounds {
  toRecipient: number;
  fromClient: number;
}

/** Notes a registration's mail to an address; false when it got, or the client ordered, too many lately. Of several at once none is overlooked. */
export async function noteRegistrationMail(
  tx: Db,
  { recipient, client }: { recipient: string; client: string },
  { toRecipient, fromClient }: MailBounds,
): Promise<boolean> {
  await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('registration from ' || ${client}, 0))`);
  await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('registration ' || lower(${recipient}), 0))`);
  const { rowCount } = await tx.query(sql.unsafe`
    insert into registration_mails (recipient, client) select ${recipient}, ${client}
    where (select count(*) from registration_mails
        where lower(recipient) = lower(${recipient}) and ordered_at > now() - interval '1 hour') < ${toRecipient}
      and (select count(*) from registration_mails
        where client = ${client} and ordered_at > now() - interval '1 hour') < ${fromClient}`);
  return rowCount === 1;
}

export const forgetRegistrationMails = (db: Db) =>
  db.query(sql.unsafe`delete from registration_mails where ordered_at <= now() - interval '1 hour'`);
