import { record } from '../audit.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { clientOf } from '../platform/net/networks.ts';
import { checkLoginId } from './login-id.ts';
import { countMails, findTokenHolder, noteRegistrationMail, useTokens } from './mail.queries.ts';
import { hashOfMailToken } from './mail-token.ts';
import type { NewPasswordParts } from './new-password.ts';
import { newPasswordHash } from './new-password.ts';
import { activate, insertAccount } from './queries.ts';
import { orderMail } from './send-mail.ts';
import type { AccountStore } from './store.ts';

export interface RegisterParts extends NewPasswordParts {
  store: AccountStore;
  /** Whether people may make accounts for themselves. */
  open: boolean;
}

export interface Registration {
  id: string;
  name: string;
  email: string;
  password: string;
  company?: string | undefined;
  phoneNumber?: string | undefined;
}

/** Mails that wait while the mail server is away, before no more are noted. */
const MOST_WAITING = 10_000;
/** Mails of registrations within an hour: whoever wants more fills somebody's mailbox, or the mailboxes of many. */
const MOST_MAILS = { toRecipient: 5, fromClient: 30 };

/** Makes an account that its holder activates by mail; where the id is taken nothing is made, and the mail says so. Nothing is made either for an address that got many mails lately, and for a client that had many sent: the answer does not tell. */
export async function register(parts: RegisterParts, { password, ...wanted }: Registration, origin: Origin) {
  if (!parts.open)
    throw forbidden('Registration is switched off: ask an administrator.', { code: 'RegistrationClosed' });
  checkLoginId(wanted.id, 'id');
  const passwordHash = await newPasswordHash(parts, password, origin.address);
  await parts.store.change(async (tx) => {
    await keepMailsBounded(tx);
    if (!(await noteRegistrationMail(tx, { recipient: wanted.email, client: clientOf(origin.address) }, MOST_MAILS))) {
      const details = { made: false, tooManyMails: true };
      return record(tx, { action: 'account.register', subject: wanted.id, ...origin, details });
    }
    const made = await insertAccount(tx, { ...wanted, passwordHash, activated: false, registered: true });
    await orderMail(
      tx,
      made ? { kind: 'activation', userId: made } : { kind: 'idTaken', recipient: wanted.email, asked: wanted.id },
    );
    await record(tx, { action: 'account.register', subject: wanted.id, ...origin, details: { made: made !== null } });
  });
}

/** For a login id or an e-mail address. Who it belongs to, if to anybody, is not looked up here. */
export const askForReset = ({ db }: Pick<RegisterParts, 'db'>, asked: string, { address, requestId }: Origin) =>
  db.transaction(async (tx) => {
    await keepMailsBounded(tx);
    await orderMail(tx, { kind: 'passwordResetAsked', asked, address, requestId });
  });

/** Shows that whoever registered reads the mails of that address. */
export const activateByToken = ({ store }: Pick<RegisterParts, 'store'>, token: string, origin: Origin) =>
  store.change(async (tx) => {
    const userId = await findTokenHolder(tx, 'activation', hashOfMailToken(token));
    if (!userId || !(await useTokens(tx, userId, 'activation'))) throw tokenNotValid();
    const id = await activate(tx, userId);
    await record(tx, { action: 'account.activate', accountId: id, subject: id, ...origin });
  });

export const tokenNotValid = () =>
  invalid('The token is unknown, was used before or has expired.', { code: 'TokenNotValid' });

async function keepMailsBounded(tx: Parameters<typeof countMails>[0]) {
  if ((await countMails(tx, MOST_WAITING)) >= MOST_WAITING)
    throw new AppError('unavailable', 'Mails cannot be sent at the moment. Try again later.', { retryAfter: 60 });
}
