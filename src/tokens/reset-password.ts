import { deleteResetTokens, findTokenHolder, useTokens } from '../accounts/mail.queries.ts';
import { hashOfMailToken } from '../accounts/mail-token.ts';
import { newPasswordHash } from '../accounts/new-password.ts';
import { setPassword } from '../accounts/password.queries.ts';
import { getAccountByUserId } from '../accounts/queries.ts';
import { tokenNotValid } from '../accounts/register.ts';
import { audit } from '../audit.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { ChangeParts } from './change-account.ts';
import { revokeUserFamilies } from './families.queries.ts';

/**
 * Sets the password of the account that a mailed token belongs to. If the password is refused, the token stays valid.
 */
export async function resetPassword(parts: ChangeParts, token: string, password: string, origin: Origin) {
  const { db, store, rules } = parts;
  const hash = hashOfMailToken(token);
  const holder = await findTokenHolder(db, 'passwordReset', hash);
  if (!holder) throw tokenNotValid();
  const { id: loginId } = await getAccountByUserId(db, holder);
  const passwordHash = await newPasswordHash(parts, { password, loginId, userId: holder, address: origin.address });
  await store.change(async (tx) => {
    const userId = await findTokenHolder(tx, 'passwordReset', hash);
    if (!userId || !(await useTokens(tx, userId, 'passwordReset'))) throw tokenNotValid();
    await setPassword(tx, userId, passwordHash, rules.history);
    await deleteResetTokens(tx, userId);
    await revokeUserFamilies(tx, userId);
    const { id, tenantId } = await getAccountByUserId(tx, userId);
    await audit(tx, { action: 'account.password.reset', accountId: id, subject: id, tenantId, ...origin });
  });
}
