import type { Database } from '../db.ts';
import { listLastHashes } from './password.queries.ts';
import type { Passwords } from './password.ts';
import { checkPassword, invalidPassword, type PasswordRules } from './password-policy.ts';

export interface NewPasswordParts {
  db: Database;
  passwords: Passwords;
  rules: PasswordRules;
}

/** A new password, and whose it is. */
export interface NewPassword {
  password: string;
  loginId: string;
  /** Absent for a new account, which has no former passwords. */
  userId?: string;
  /** Client address. */
  address: string;
}

/**
 * Checks a new password and returns its hash. Throws `InvalidPassword`. With `userId`, also compares it with the
 * account's current and former passwords (`rules.history`). Do not call it in a transaction, because hashing may wait
 * in a queue.
 */
export async function newPasswordHash(
  { db, passwords, rules }: NewPasswordParts,
  { password, loginId, userId, address }: NewPassword,
): Promise<string> {
  await checkPassword(password, loginId, rules);
  if (userId !== undefined && rules.history > 0) {
    for (const former of await listLastHashes(db, userId, rules.history))
      if (await passwords.matches(password, former, address))
        throw invalidPassword(['PasswordWasUsedBefore'], rules.policy);
  }
  return passwords.hash(password, address);
}
