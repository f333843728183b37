import type { Db } from '../db.ts';
import { listFormerHashes } from './password.queries.ts';
import type { Passwords } from './password.ts';
import type { PasswordRules } from './password-policy.ts';
import { checkPassword, invalidPassword } from './password-policy.ts';

export interface NewPasswordParts {
  db: Db;
  passwords: Passwords;
  rules: PasswordRules;
}

/**
 * The hash of a new password that is acceptable; refuses any other with its codes. `userId`: whose present and former passwords it must not
 * be, as far back as the rules say. Not inside a transaction: hashing waits its turn.
 */
export async function newPasswordHash(
  { db, passwords, rules }: NewPasswordParts,
  password: string,
  address: string,
  userId?: string,
): Promise<string> {
  await checkPassword(password, rules);
  if (userId !== undefined && rules.history > 0) {
    for (const former of await listFormerHashes(db, userId, rules.history))
      if (await passwords.matches(password, former, address))
        throw invalidPassword(['PasswordWasUsedBefore'], rules.policy);
  }
  return passwords.hash(password, address);
}
