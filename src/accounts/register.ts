import { audit } from '../audit.ts';
import type { Transaction } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { rateLimitKey } from '../platform/net/networks.ts';
import { checkLoginId } from './login-id.ts';
import { countMails, countRegistrationMail, findTokenHolder, useTokens } from './mail.queries.ts';
import { hashOfMailToken } from './mail-token.ts';
import { type NewPasswordParts, newPasswordHash } from './new-password.ts';
import { activate, insertAccount } from './queries.ts';
import { MAX_TO_RECIPIENT, queueMail } from './send-mail.ts';
import type { AccountStore } from './store.ts';

export interface RegisterParts extends NewPasswordParts {
  store: AccountStore;
  /** Whether people may register. */
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

/** Maximum number of pending mails, for outages of the mail server. */
const MAX_PENDING_MAILS = 10_000;
/** Registration mails per hour. Prevents abuse for filling mailboxes of others. */
const MAX_MAILS = { toRecipient: MAX_TO_RECIPIENT.toUnproven, fromClient: 30 };

/**
 * Creates an account, which its holder activates with a mailed token. If the login id exists, creates nothing and says
 * so in the mail. Does nothing if the recipient or the client has reached `MAX_MAILS`. Callers cannot distinguish these
 * cases apart.
 */
export async function register(parts: RegisterParts, { password, ...request }: Registration, origin: Origin) {
  if (!parts.open)
    throw forbidden('Registration is off. Ask an administrator for an account.', { code: 'RegistrationOff' });
  checkLoginId(request.id, 'id');
  const passwordHash = await newPasswordHash(parts, {
    password,
    loginId: request.id,
    address: origin.address,
  });
  await parts.store.change(async (tx) => {
    await limitPendingMails(tx);
    const mail = { recipient: request.email, client: rateLimitKey(origin.address) };
    if (!(await countRegistrationMail(tx, mail, MAX_MAILS))) {
      const details = { made: false, tooManyMails: true };
      return audit(tx, { action: 'account.register', subject: request.id, ...origin, details });
    }
    const userId = await insertAccount(tx, { ...request, passwordHash, activated: false, registered: true });
    await queueMail(
      tx,
      userId ? { kind: 'activation', userId } : { kind: 'idTaken', recipient: request.email, identifier: request.id },
    );
    await audit(tx, {
      action: 'account.register',
      subject: request.id,
      ...origin,
      details: { made: userId !== null },
    });
  });
}

/**
 * Requests a password reset for a login id or e-mail address. The accounts are looked up later, so that the time
 * reveals nothing.
 */
export const requestPasswordReset = (
  { db }: Pick<RegisterParts, 'db'>,
  identifier: string,
  { address, requestId }: Origin,
) =>
  db.transaction(async (tx) => {
    await limitPendingMails(tx);
    await queueMail(tx, { kind: 'passwordResetAsked', identifier, address, requestId });
  });

/** Activates an account. The token proves that its holder receives mails at the address. */
export const activateByToken = ({ store }: Pick<RegisterParts, 'store'>, token: string, origin: Origin) =>
  store.change(async (tx) => {
    const userId = await findTokenHolder(tx, 'activation', hashOfMailToken(token));
    if (!userId || !(await useTokens(tx, userId, 'activation'))) throw tokenNotValid();
    const id = await activate(tx, userId);
    await audit(tx, { action: 'account.activate', accountId: id, subject: id, ...origin });
  });

export const tokenNotValid = () =>
  invalid('The token is unknown, was used before or has expired. Request a new mail.', { code: 'TokenNotValid' });

async function limitPendingMails(tx: Transaction) {
  if ((await countMails(tx, MAX_PENDING_MAILS)) >= MAX_PENDING_MAILS)
    throw new AppError('unavailable', 'Mails cannot be sent at the moment. Try again later.', { retryAfter: 60 });
}
