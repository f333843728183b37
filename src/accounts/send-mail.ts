import { audit } from '../audit.ts';
import type { Config } from '../config.ts';
import type { Database, Transaction } from '../db.ts';
import { enqueue } from '../jobs.ts';
import type { MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { type Mailer, Undeliverable } from '../platform/mail/mail.ts';
import { withoutTrailingSlashes } from '../platform/text/trim-end.ts';
import {
  countResetMail,
  deleteMail,
  findAddressees,
  findInvitationMail,
  findMail,
  insertInvitationToken,
  insertMail,
  insertToken,
  listFailedMails,
  lockMail,
  type MailRow,
  type TokenKind,
} from './mail.queries.ts';
import { newMailToken } from './mail-token.ts';
import { findMailAddress } from './queries.ts';

/** Accounts with one e-mail address that get a mail; addresses need not be unique. */
const MAX_ACCOUNTS = 10;
/**
 * Password reset mails per account and hour, however often each was tried. Prevents abuse for filling mailboxes of
 * others.
 */
const MAX_RESETS = 5;

/**
 * Mails per address and hour, whatever their number of accounts: a holder may give his account any address. Registered
 * accounts that were never activated share `toUnproven` with registrations.
 */
export const MAX_TO_RECIPIENT = { toUnproven: 5, toRecipient: MAX_ACCOUNTS };

/** Stores a mail and the job that sends it, in the caller's transaction. */
export async function queueMail(tx: Transaction, mail: Omit<MailRow, 'id'>) {
  const mailId = await insertMail(tx, mail);
  if (mailId) await enqueue(tx, 'sendAccountMail', { mailId }, { jobKey: mailId });
}

/** Older mails are not sent any more. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;
/** Maximum number of mails per run of the clean-up. */
const BATCH = 1000;

/**
 * Part of the hourly clean-up: queues mails again whose jobs have used up their attempts, and deletes those that are
 * too old. A pending reset blocks further resets of its login id, so no mail may stay forever.
 */
export async function requeueMails(
  { db, log }: Pick<MailParts, 'db' | 'log'>,
  { attempt }: MaintenanceRun,
): Promise<void> {
  for (const { id, old } of await listFailedMails(db, MAX_AGE_MS, BATCH)) {
    const requeue = () => db.transaction((tx) => enqueue(tx, 'sendAccountMail', { mailId: id }, { jobKey: id }));
    const drop = async () => {
      await db.transaction((tx) => deleteMail(tx, id));
      log.warn({ mailId: id }, 'deleted a mail that could not be sent within seven days');
    };
    await attempt('mails', old ? drop : requeue, id);
  }
}

export interface MailParts {
  db: Database;
  mailer: Mailer;
  settings: MailSettings;
  log: { warn(details: object, message: string): void };
}

type MailSettings = Pick<
  Config,
  'publicUrl' | 'host' | 'port' | 'accounts.tokenLifetime' | 'mail.activationUrl' | 'mail.passwordUrl'
>;

/**
 * Sends a mail and deletes its row. Does nothing if the row is deleted. Tokens are created here and exist only in the
 * mail: a mail that is sent again after a crash contains another token, and both are valid.
 */
export async function sendAccountMail(parts: MailParts, mailId: string): Promise<void> {
  const { db, log } = parts;
  const mail = await findMail(db, mailId);
  if (!mail) return;
  if (mail.kind === 'passwordResetAsked') return queueResetMails(db, mail);
  try {
    if (mail.kind === 'idTaken') await sendIdTaken(parts, mail);
    else if (mail.kind === 'invitation') await sendInvitation(parts, mail);
    else await sendToken(parts, { mailId, kind: mail.kind, userId: mail.userId as string });
  } catch (error) {
    if (!(error instanceof Undeliverable)) throw error;
    log.warn({ err: error, mailId }, 'a mail cannot be delivered');
  }
  await db.transaction((tx) => deleteMail(tx, mailId));
}

/**
 * Queues a mail for each account with the requested login id or e-mail address. Runs in a job, so that its time reveals
 * nothing.
 */
const queueResetMails = (db: Database, { id }: MailRow) =>
  db.transaction(async (tx) => {
    const mail = await lockMail(tx, id);
    if (!mail) return;
    const { identifier = '', address, requestId } = mail;
    const found = await findAddressees(tx, identifier, { maxAccounts: MAX_ACCOUNTS, maxMails: MAX_RESETS });
    // two of these at once take the locks of the addresses in the same order
    const addressees = found.toSorted((one, other) => (one.email.toLowerCase() < other.email.toLowerCase() ? -1 : 1));
    for (const account of addressees) {
      if (!(await countResetMail(tx, account, MAX_TO_RECIPIENT))) continue;
      await queueMail(tx, { kind: 'passwordReset', userId: account.userId });
      await audit(tx, { action: 'account.password.resetAsked', subject: account.id, address, requestId });
    }
    await deleteMail(tx, id);
  });

async function sendToken(
  { db, mailer, settings }: MailParts,
  { mailId, kind, userId }: { mailId: string; kind: TokenKind; userId: string },
) {
  const account = await findMailAddress(db, userId);
  if (!account?.email || (kind === 'activation' && account.activated)) return;
  const { token, hash } = newMailToken();
  await db.transaction((tx) => insertToken(tx, { userId, kind, mailId, hash }, settings['accounts.tokenLifetime']));
  const { subject, lead, page, command } = TEXTS[kind];
  const link = withToken(settings[page] ?? `${baseOf(settings)}${PATHS[kind]}`, token);
  await mailer.send({
    to: account.email,
    subject,
    text: `${lead(account.id)}\n\n${link}\n\nOn a command line: platform account ${command} --token ${token}\n\n${NOT_YOU}\n`,
  });
}

const NOT_YOU = 'If you did not request this, ignore this mail.';

/** Shortens a name that a stranger chose, so that it cannot contain a message to the recipient. */
const shortened = (id: string) => (id.length > 40 ? `${id.slice(0, 39)}…` : id);

/** Pages of the console. Mails that are on their way may name the pages below `/api/accounts`. */
const PATHS = { activation: '/activate', passwordReset: '/reset' } as const;

const TEXTS = {
  activation: {
    subject: 'Activate your account',
    lead: (id: string) => `An account '${shortened(id)}' was registered with this address. Activate it with this link:`,
    page: 'mail.activationUrl',
    command: 'activate',
  },
  passwordReset: {
    subject: 'Set a new password',
    lead: (id: string) => `A new password was requested for your account '${shortened(id)}'. Set it with this link:`,
    page: 'mail.passwordUrl',
    command: 'reset-password',
  },
} as const;

const sendIdTaken = ({ mailer }: MailParts, { recipient = '', identifier = '' }: MailRow) =>
  mailer.send({
    to: recipient,
    subject: 'Your registration',
    text:
      `Somebody tried to register the account '${shortened(identifier)}' with this address. The id exists already, so no account was created.\n` +
      `Register with another id or, if the account is yours, reset its password.\n\n${NOT_YOU}\n`,
  });

/** Says the same whether the address has an account or not: whoever invites cannot read off who has one. */
async function sendInvitation({ db, mailer, settings }: MailParts, { recipient = '', identifier = '' }: MailRow) {
  const invitation = await findInvitationMail(db, identifier);
  if (!invitation) return;
  const { token, hash } = newMailToken();
  await db.transaction((tx) => insertInvitationToken(tx, identifier, hash));
  const { project, role, inviter = 'Somebody', expiresAt } = invitation;
  const link = `${baseOf(settings)}/signin?invitation=${token}`;
  await mailer.send({
    to: recipient,
    subject: 'An invitation to a project',
    text:
      `${shortened(inviter)} invites you to the project '${shortened(project)}' as ${role}.\nSign in with this link to accept:\n\n${link}\n\n` +
      `If you have no account, you need one first. The link works once, until ${expiresAt.slice(0, 10)} (UTC).\n` +
      `On a command line: platform invitation accept --token ${token}\n\nIf you do not expect it, ignore this mail.\n`,
  });
}

const withToken = (address: string, token: string) => `${address}${address.includes('?') ? '&' : '?'}token=${token}`;

/** Does not use the Host header of a request: an attacker could direct the token of another account to his own host. */
const baseOf = ({ publicUrl, host, port }: MailSettings) =>
  publicUrl === undefined
    ? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    : withoutTrailingSlashes(publicUrl);
