import { record } from '../audit.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { enqueue } from '../jobs.ts';
import type { Chore } from '../platform/async/chore.ts';
import type { Mailer } from '../platform/mail/mail.ts';
import { Undeliverable } from '../platform/mail/mail.ts';
import { withoutTrailingSlashes } from '../platform/text/trim-end.ts';
import type { MailRow, TokenKind } from './mail.queries.ts';
import {
  deleteMail,
  findAddressees,
  findMail,
  insertMail,
  insertToken,
  listStrandedMails,
  lockMail,
} from './mail.queries.ts';
import { newMailToken } from './mail-token.ts';
import { findMailAddress } from './queries.ts';

/** An e-mail address need not be unique, but nobody has that many accounts. */
const MOST_ACCOUNTS = 10;
/** Resets within an hour: whoever asks for more wants to fill somebody's mailbox. */
const MOST_RESETS = 5;

/** Notes a mail and the job that sends it, in the transaction of what it tells of. */
export async function orderMail(tx: Db, mail: Omit<MailRow, 'id'>) {
  const mailId = await insertMail(tx, mail);
  if (mailId) await enqueue(tx, 'sendAccountMail', { mailId }, { jobKey: mailId });
}

/** Longer than this nobody waits for a mail: its tokens would be for a day, and whoever still wants one asks again. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** Mails that one run of the clean-up looks at. */
const MOST_REVIVED = 1000;

/**
 * Puts mails that were tried in vain into the queue again, and drops those that nobody waits for any more. One that stayed for ever would
 * keep its account from ever being sent the same again.
 */
export async function reviveMails({ db, log }: Pick<MailParts, 'db' | 'log'>, { attempt }: Chore): Promise<void> {
  for (const { id, old } of await listStrandedMails(db, KEPT_MS, MOST_REVIVED)) {
    const revive = () => enqueue(db, 'sendAccountMail', { mailId: id }, { jobKey: id });
    const drop = async () => {
      await deleteMail(db, id);
      log.warn({ mailId: id }, 'a mail could not be sent within seven days and is dropped');
    };
    await attempt('mails', old ? drop : revive, id);
  }
}

export interface MailParts {
  db: Db;
  mailer: Mailer;
  settings: MailSettings;
  log: { warn(details: object, message: string): void };
}

type MailSettings = Pick<
  Config,
  'publicUrl' | 'host' | 'port' | 'accounts.tokenLifetime' | 'mail.activationUrl' | 'mail.passwordUrl'
>;

/**
 * Sends one mail, however often it is called until its row is gone. Tokens are made here and are nowhere but in the mail: a mail that is
 * sent again after a crash holds another one, and both are good.
 */
export async function sendAccountMail(parts: MailParts, mailId: string): Promise<void> {
  const { db, log } = parts;
  const mail = await findMail(db, mailId);
  if (!mail) return;
  if (mail.kind === 'passwordResetAsked') return addressReset(db, mail);
  try {
    if (mail.kind === 'idTaken') await sendTaken(parts, mail);
    else await sendToken(parts, mail.kind, mail.userId as string);
  } catch (error) {
    if (!(error instanceof Undeliverable)) throw error;
    log.warn({ err: error, mailId }, 'a mail cannot be delivered');
  }
  await deleteMail(db, mailId);
}

/** A mail for each account that was meant. Whether there is any is found out here, where nobody measures the time. */
const addressReset = (db: Db, { id }: MailRow) =>
  db.transaction(async (tx) => {
    const mail = await lockMail(tx, id);
    if (!mail) return;
    const { asked = '', address, requestId } = mail;
    for (const account of await findAddressees(tx, asked, { most: MOST_ACCOUNTS, mostEach: MOST_RESETS })) {
      await orderMail(tx, { kind: 'passwordReset', userId: account.userId });
      await record(tx, { action: 'account.password.resetAsked', subject: account.id, address, requestId });
    }
    await deleteMail(tx, id);
  });

async function sendToken({ db, mailer, settings }: MailParts, kind: TokenKind, userId: string) {
  const account = await findMailAddress(db, userId);
  if (!account?.email || (kind === 'activation' && account.activated)) return;
  const { token, hash } = newMailToken();
  await insertToken(db, userId, kind, hash, settings['accounts.tokenLifetime']);
  const { subject, lead, page, command } = WORDS[kind];
  const link = withToken(settings[page] ?? `${baseOf(settings)}${PATHS[kind]}`, token);
  await mailer.send({
    to: account.email,
    subject,
    text: `${lead(account.id)}\n\n${link}\n\nOn a command line: platform account ${command} --token ${token}\n\n${NOT_YOU}\n`,
  });
}

const NOT_YOU = 'If you did not ask for this, nothing has to be done.';

/** Of an id that a stranger chose: no room for a message of his. */
const shortened = (id: string) => (id.length > 40 ? `${id.slice(0, 39)}…` : id);

const PATHS = { activation: '/api/accounts/activation', passwordReset: '/api/accounts/password' } as const;

const WORDS = {
  activation: {
    subject: 'Activate your account',
    lead: (id: string) => `An account '${shortened(id)}' was registered with this address. Activate it with this link:`,
    page: 'mail.activationUrl',
    command: 'activate',
  },
  passwordReset: {
    subject: 'Set a new password',
    lead: (id: string) => `A new password was asked for your account '${id}'. Set it with this link:`,
    page: 'mail.passwordUrl',
    command: 'reset-password',
  },
} as const;

const sendTaken = ({ mailer }: MailParts, { recipient = '', asked = '' }: MailRow) =>
  mailer.send({
    to: recipient,
    subject: 'Your registration',
    text:
      `An account '${shortened(asked)}' was to be registered with this address, but that id is taken; no account was made.\n` +
      `Register with another id or, if the account is yours, have its password reset.\n\n${NOT_YOU}\n`,
  });

const withToken = (address: string, token: string) => `${address}${address.includes('?') ? '&' : '?'}token=${token}`;

/** Never the host that a request names: whoever asks for another's reset would choose where its token goes. */
const baseOf = ({ publicUrl, host, port }: MailSettings) =>
  publicUrl === undefined
    ? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    : withoutTrailingSlashes(publicUrl);
