import { standingInTheWay } from '../accounts/account.ts';
import type { Passwords } from '../accounts/password.ts';
import { findSignInState, lockSignInState, noteAttempt, noteSuccess } from '../accounts/queries.ts';
import { invalid } from '../errors.ts';
import type { TokenPair, TokenParts } from './refresh.ts';
import { startFamily } from './refresh.ts';

/**
 * Checks login id and password and starts a family of tokens. Wrong passwords and unknown accounts get the same words after the same
 * work; only who knows the password learns what else stands in the way.
 */
export async function signIn(
  parts: TokenParts & { passwords: Passwords },
  { id, password }: { id: string; password: string },
): Promise<TokenPair> {
  const account = await findSignInState(parts.db, id);
  // the attempt is counted while the password is hashed: a write before or after it would tell known accounts by their time
  const [matches] = await Promise.all([
    parts.passwords.matches(password, account?.passwordHash),
    account && noteAttempt(parts.db, account.userId),
  ]);
  if (!account || !matches) throw validationFailed();
  return parts.db.transaction(async (tx) => {
    const state = await lockSignInState(tx, account.userId);
    if (state?.passwordHash !== account.passwordHash) throw validationFailed();
    const obstacle = standingInTheWay(state);
    if (obstacle) throw invalid(obstacle.sentence, { code: obstacle.code });
    await noteSuccess(tx, account.userId);
    return startFamily(tx, parts, account.userId);
  });
}

const validationFailed = () => invalid('Account validation failed.', { code: 'AccountValidationFailed' });
