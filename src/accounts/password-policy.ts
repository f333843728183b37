import type { Config } from '../config.ts';
import { invalid } from '../errors.ts';
import { BreachedList, type BreachedPasswords, type Log, openBreached } from './breached.ts';

/** Requirements for new passwords, as in `GET /api/accounts/passwordpolicy`. */
export interface PasswordPolicy {
  requiredLength: number;
  requiredUniqueChars: number;
  requireNonAlphanumeric: boolean;
  requireLowercase: boolean;
  requireUppercase: boolean;
  requireDigit: boolean;
}

const PASSWORD_POLICY: PasswordPolicy = {
  requiredLength: 10,
  requiredUniqueChars: 5,
  requireNonAlphanumeric: true,
  requireLowercase: true,
  requireUppercase: true,
  requireDigit: true,
};

export const passwordRules = (config: Config, log: Log): PasswordRules => ({
  policy: readPolicy(config),
  breached: openBreached(config, log),
  history: config['accounts.passwordHistory'],
});

export const readPolicy = (config: Config): PasswordPolicy => ({
  requiredLength: config['passwords.requiredLength'],
  requiredUniqueChars: config['passwords.requiredUniqueChars'],
  requireNonAlphanumeric: config['passwords.requireNonAlphanumeric'],
  requireLowercase: config['passwords.requireLowercase'],
  requireUppercase: config['passwords.requireUppercase'],
  requireDigit: config['passwords.requireDigit'],
});

/** Codes, as the API answers them, of the requirements that a password does not meet. */
function unmetRequirements(password: string, policy: PasswordPolicy): string[] {
  const characters = [...password];
  const requirements: [code: string, isUnmet: boolean][] = [
    ['PasswordIsTooShort', characters.length < policy.requiredLength],
    ['PasswordRequiresUniqueChars', new Set(characters).size < policy.requiredUniqueChars],
    ['PasswordRequiresNonAlphanumeric', policy.requireNonAlphanumeric && /^[a-z0-9]*$/i.test(password)],
    ['PasswordRequiresLower', policy.requireLowercase && !/[a-z]/.test(password)],
    ['PasswordRequiresUpper', policy.requireUppercase && !/[A-Z]/.test(password)],
    ['PasswordRequiresDigit', policy.requireDigit && !/[0-9]/.test(password)],
  ];
  return requirements.filter(([, isUnmet]) => isUnmet).map(([code]) => code);
}

export interface PasswordRules {
  policy: PasswordPolicy;
  breached: BreachedPasswords;
  /** Number of the account's last passwords, including the current one, that must not be reused. */
  history: number;
}

/** Rules for code without settings: the default policy and the shipped list of breached passwords. */
export const defaultRules = (): PasswordRules => ({
  policy: PASSWORD_POLICY,
  breached: new BreachedList(),
  history: 0,
});

/**
 * Throws `InvalidPassword`, with all codes, if a password does not meet the policy, contains the login id or is known
 * from breaches.
 */
export async function checkPassword(password: string, loginId: string, { policy, breached }: PasswordRules) {
  const codes = unmetRequirements(password, policy);
  if (containsLoginId(password, loginId)) codes.push('PasswordContainsLoginId');
  if (await breached.has(password)) codes.push('PasswordIsBreached');
  if (codes.length > 0) throw invalidPassword(codes, policy);
}

/** Shorter ids are in passwords by chance. */
const SHORTEST_LOGIN_ID = 4;
const containsLoginId = (password: string, loginId: string) =>
  [...loginId].length >= SHORTEST_LOGIN_ID && folded(password).includes(folded(loginId));
const folded = (text: string) => text.normalize('NFKC').toUpperCase().toLowerCase();

export function invalidPassword(codes: string[], { requiredLength, requiredUniqueChars }: PasswordPolicy) {
  const sentences: Record<string, string> = {
    PasswordIsTooShort: `it has fewer than ${requiredLength} characters`,
    PasswordRequiresUniqueChars: `it has fewer than ${requiredUniqueChars} different characters`,
    PasswordRequiresNonAlphanumeric: 'it has only letters and digits',
    PasswordRequiresLower: 'it has no lower-case letter',
    PasswordRequiresUpper: 'it has no upper-case letter',
    PasswordRequiresDigit: 'it has no digit',
    PasswordContainsLoginId: 'it contains the login id',
    PasswordIsBreached: 'it is known from data breaches',
    PasswordWasUsedBefore: 'the account has used it before',
  };
  const reasons = codes.map((code) => sentences[code] ?? code);
  return invalid(`The password is not acceptable: ${reasons.join('; ')}.`, {
    code: 'InvalidPassword',
    errors: { password: codes },
  });
}
