import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

/** Purpose of a mailed token. */
export type TokenKind = 'activation' | 'passwordReset';

const Kind = z.enum(['activation', 'passwordReset', 'passwordResetAsked', 'idTaken', 'invitation']);
const MailRow = z.object({
  id: z.string(),
  kind: Kind,
  userId: z.string().optional(),
  recipient: z.string().optional(),
  identifier: z.string().optional(),
  address: z.string().optional(),
  requestId: z.string().optional(),
});
export type MailRow = z.infer<typeof MailRow>;

/** Returns the id. Null if a password reset for the same login id or e-mail address is pending. */
export const insertMail = (tx: Transaction, mail: Omit<MailRow, 'id'>) =>
  tx.maybeOneFirst(sql.write(z.object({ id: z.string() }))`
    insert into account_mails (kind, user_id, recipient, identifier, address, request_id)
    values (${mail.kind}, ${mail.userId ?? null}, ${mail.recipient ?? null}, ${mail.identifier ?? null}, ${mail.address ?? null},
      ${mail.requestId ?? null})
    on conflict (lower(identifier)) where kind = 'passwordResetAsked' do nothing
    returning id`);

export const findMail = (db: Reads, id: string) =>
  db.maybeOne(sql.type(MailRow)`
    select id, kind, user_id, recipient, identifier, address, request_id from account_mails where id = ${id}`);

/** `findMail` with a lock until `tx` ends. */
export const lockMail = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.write(MailRow)`
    select id, kind, user_id, recipient, identifier, address, request_id from account_mails where id = ${id} for update`);

export const deleteMail = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`delete from account_mails where id = ${id}`);

const Addressee = z.object({
  userId: z.string(),
  id: z.string(),
  email: z.string(),
  /** Registered by somebody who has not shown that the address is theirs. */
  unproven: z.boolean(),
});

/**
 * Enabled accounts with this login id or e-mail address. Excludes accounts that got `maxMails` resets in the last hour.
 */
export const findAddressees = (
  db: Reads,
  identifier: string,
  { maxAccounts, maxMails }: { maxAccounts: number; maxMails: number },
) =>
  db.any(sql.type(Addressee)`
    select a.user_id, a.id, a.email, a.registered and not a.activated as unproven from accounts a
    where (a.folded_id = fold_name(${identifier}) or lower(a.email) = lower(${identifier})) and a.email is not null and a.enabled
      and (select count(distinct coalesce(t.mail_id::text, t.hash::text)) from account_tokens t where t.user_id = a.user_id and t.kind = 'passwordReset'
        and t.created_at > now() - interval '1 hour') < ${maxMails}
    order by a.folded_id = fold_name(${identifier}) desc, a.id limit ${maxAccounts}`);

export const insertToken = (
  tx: Transaction,
  { userId, kind, mailId, hash }: { userId: string; kind: TokenKind; mailId: string; hash: Buffer },
  lifetimeMs: number,
) =>
  tx.query(sql.unsafe`
    insert into account_tokens (hash, user_id, kind, mail_id, expires_at)
    values (${sql.binary(hash)}, ${userId}, ${kind}, ${mailId}, now() + ${lifetimeMs} * interval '1 millisecond')`);

/** User id of a valid token. */
export const findTokenHolder = (db: Reads, kind: TokenKind, hash: Buffer) =>
  db.maybeOneFirst(sql.type(z.object({ userId: z.string() }))`
    select user_id from account_tokens where kind = ${kind} and hash = ${sql.binary(hash)} and expires_at > now()`);

/** Deletes all tokens of this kind. Of concurrent calls one returns true. */
export async function useTokens(tx: Transaction, userId: string, kind: TokenKind): Promise<boolean> {
  const { rowCount } = await tx.query(
    sql.unsafe`delete from account_tokens where user_id = ${userId} and kind = ${kind} and expires_at > now()`,
  );
  return rowCount > 0;
}

/** Deletes all tokens of an account whose e-mail address was changed: they were sent to the old address. */
export const deleteTokens = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`delete from account_tokens where user_id = ${userId}`);

/**
 * Deletes the password reset tokens of an account whose password was changed. Activation tokens stay: they only prove
 * the e-mail address.
 */
export const deleteResetTokens = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`delete from account_tokens where user_id = ${userId} and kind = 'passwordReset'`);

export const deleteExpiredTokens = (tx: Transaction) =>
  tx.query(sql.unsafe`delete from account_tokens where expires_at <= now()`);

/** Mails that are older than an hour and have no job with attempts left. `old`: older than `oldMs`. */
export const listFailedMails = (db: Reads, oldMs: number, limit: number) =>
  db.any(sql.type(z.object({ id: z.string(), old: z.boolean() }))`
    select id, created_at < now() - ${oldMs} * interval '1 millisecond' as old from account_mails m
    where created_at < now() - interval '1 hour' and not exists (
      select from queue_jobs job
      where job.key = m.id::text and (job.attempts < job.max_attempts or job.locked_at is not null))
    order by created_at, id limit ${limit}`);

/** Number of mails to send, at most `limit`. */
export const countMails = (db: Reads, limit: number) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from (select from account_mails limit ${limit}) m`);

/** In place of the client, with the user id behind it: a reset mail, which does not count as a registration mail. */
const RESET = 'password reset ';
const isReset = sql.fragment`coalesce(starts_with(client, ${RESET}), false)`;
/** Rows of mails to one recipient in the last hour. */
const sentTo = (recipient: string) => sql.fragment`
  select from registration_mails where lower(recipient) = lower(${recipient}) and ordered_at > now() - interval '1 hour'`;
const lockRecipient = (tx: Transaction, recipient: string) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('registration ' || lower(${recipient}), 0))`);

/**
 * Counts a reset mail, and returns false if a limit of the recipient is reached. Unproven accounts share the limit of
 * registrations, so that they keep nobody from resetting a password; neither do the accounts of others with the same
 * address: the first mail of an account in an hour is sent in any case. Not counted for the client, who could read off
 * his own count whether an account exists. Exact for concurrent calls.
 */
export async function countResetMail(
  tx: Transaction,
  { userId, email, unproven }: Omit<z.infer<typeof Addressee>, 'id'>,
  { toUnproven, toRecipient }: { toUnproven: number; toRecipient: number },
): Promise<boolean> {
  await lockRecipient(tx, email);
  const { rowCount } = await tx.query(sql.unsafe`
    insert into registration_mails (recipient, client) select ${email}, ${unproven ? null : RESET + userId}
    where (select count(*) from (${sentTo(email)} and ${isReset} = ${!unproven}) m) < ${unproven ? toUnproven : toRecipient}
      or (${!unproven} and not exists (${sentTo(email)} and client = ${RESET + userId}))`);
  return rowCount === 1;
}

/** Maximum numbers of registration mails per hour. */
export interface RegistrationMailLimits {
  toRecipient: number;
  fromClient: number;
}

/**
 * Counts a registration mail. Returns false if a limit of the recipient or the client is reached. Exact for concurrent
 * calls.
 */
export async function countRegistrationMail(
  tx: Transaction,
  { recipient, client }: { recipient: string; client: string },
  { toRecipient, fromClient }: RegistrationMailLimits,
): Promise<boolean> {
  await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('registration from ' || ${client}, 0))`);
  await lockRecipient(tx, recipient);
  const { rowCount } = await tx.query(sql.unsafe`
    insert into registration_mails (recipient, client) select ${recipient}, ${client}
    where (select count(*) from (${sentTo(recipient)} and not ${isReset}) m) < ${toRecipient}
      and (select count(*) from registration_mails
        where client = ${client} and ordered_at > now() - interval '1 hour') < ${fromClient}`);
  return rowCount === 1;
}

export const deleteOldRegistrationMails = (tx: Transaction) =>
  tx.query(sql.unsafe`delete from registration_mails where ordered_at <= now() - interval '1 hour'`);

const InvitationMail = z.object({
  project: z.string(),
  role: z.string(),
  /** Name of who invites: an account or an API key. */
  inviter: z.string().optional(),
  expiresAt: z.string(),
});

/** What the mail of an invitation says. Null: nobody can accept it any more. */
export const findInvitationMail = (db: Reads, id: string) =>
  db.maybeOne(sql.type(InvitationMail)`
    select p.name as project, i.role, coalesce(a.name, k.name) as inviter, i.expires_at
    from project_invitations i join projects p on p.id = i.project_id
      left join accounts a on a.user_id = i.created_by left join api_keys k on k.id = i.created_by
    where i.id = ${id} and i.accepted_at is null and i.ended_at is null and i.expires_at > now()
      and not exists (select from projects above where above.id = any(p.path) and above.deleted_at is not null)`);

export const insertInvitationToken = (tx: Transaction, invitationId: string, hash: Buffer) =>
  tx.query(sql.unsafe`
    insert into project_invitation_tokens (hash, invitation_id) values (${sql.binary(hash)}, ${invitationId})`);
