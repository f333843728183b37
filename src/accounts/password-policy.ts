import type { Config } from '../config.ts';
import { invalid } from '../errors.ts';
import type { BreachedPasswords, Log } from './breached.ts';
import { listOfBreached, openBreached } from './breached.ts';

/** What a new password must have. The names are those that `GET /api/accounts/passwordpolicy` shows. */
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

/** As the settings say. */
export const passwordRules = (config: Config, log: Log): PasswordRules => ({
  policy: policyOf(config),
  breached: openBreached(config, log),
  history: config['accounts.passwordHistory'],
});

export const policyOf = (config: Config): PasswordPolicy => ({
  requiredLength: config['passwords.requiredLength'],
  requiredUniqueChars: config['passwords.requiredUniqueChars'],
  requireNonAlphanumeric: config['passwords.requireNonAlphanumeric'],
  requireLowercase: config['passwords.requireLowercase'],
  requireUppercase: config['passwords.requireUppercase'],
  requireDigit: config['passwords.requireDigit'],
});

/** Codes of what a password lacks; clients know them by these names. */
function passwordProblems(password: string, policy: PasswordPolicy): string[] {
  const characters = [...password];
  const lacks: [code: string, lacking: boolean][] = [
    ['PasswordIsTooShort', characters.length < policy.requiredLength],
    ['PasswordRequiresUniqueChars', new Set(characters).size < policy.requiredUniqueChars],
    ['PasswordRequiresNonAlphanumeric', policy.requireNonAlphanumeric && /^[a-z0-9]*$/i.test(password)],
    ['PasswordRequiresLower', policy.requireLowercase && !/[a-z]/.test(password)],
    ['PasswordRequiresUpper', policy.requireUppercase && !/[A-Z]/.test(password)],
    ['PasswordRequiresDigit', policy.requireDigit && !/[0-9]/.test(password)],
  ];
  return lacks.filter(([, lacking]) => lacking).map(([code]) => code);
}

/** What every new password is held against. */
export interface PasswordRules {
  policy: PasswordPolicy;
  breached: BreachedPasswords;
  /** How many of an account's passwords, the present one among them, must not be taken again. */
  history: number;
}

/** Without settings: the policy's defaults, and the list that comes with the platform. */
export const usualRules = (): PasswordRules => ({ policy: PASSWORD_POLICY, breached: listOfBreached(), history: 0 });

/** Refuses a password that breaks the policy or is known from breaches, with the codes of all that is wrong with it. */
export async function checkPassword(password: string, { policy, breached }: PasswordRules) {
  const codes = passwordProblems(password, policy);
  if (await breached(password)) codes.push('PasswordIsBreached');
  if (codes.length > 0) throw invalidPassword(codes, policy);
}

/** The codes are for programs, the detail says the same to people. */
export function invalidPassword(codes: string[], { requiredLength, requiredUniqueChars }: PasswordPolicy) {
  const sentences: Record<string, string> = {
    PasswordIsTooShort: `it has fewer than ${requiredLength} characters`,
    PasswordRequiresUniqueChars: `it has fewer than ${requiredUniqueChars} different characters`,
    PasswordRequiresNonAlphanumeric: 'it has only letters and digits',
    PasswordRequiresLower: 'it has no lower-case letter',
    PasswordRequiresUpper: 'it has no upper-case letter',
    PasswordRequiresDigit: 'it has no digit',
    PasswordIsBreached: 'it is widely known',
    PasswordWasUsedBefore: 'the account has or had it before',
  };
  const said = codes.map((code) => sentences[code] ?? code);
  return invalid(`The password is not acceptable: ${said.join('; ')}.`, {
    code: 'InvalidPassword',
    errors: { password: codes },
  });
}
