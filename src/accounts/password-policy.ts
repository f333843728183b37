import { invalid } from '../errors.ts';

/** What a new password must have. The names are those that `GET /api/accounts/passwordpolicy` shows. */
export interface PasswordPolicy {
  requiredLength: number;
  requiredUniqueChars: number;
  requireNonAlphanumeric: boolean;
  requireLowercase: boolean;
  requireUppercase: boolean;
  requireDigit: boolean;
}

export const PASSWORD_POLICY: PasswordPolicy = {
  requiredLength: 10,
  requiredUniqueChars: 5,
  requireNonAlphanumeric: true,
  requireLowercase: true,
  requireUppercase: true,
  requireDigit: true,
};

/** Codes of what a password lacks; clients know them by these names. */
export function passwordProblems(password: string, policy = PASSWORD_POLICY): string[] {
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

/** Refuses a password that breaks the policy, with the codes of all that it lacks. */
export function checkPassword(password: string, policy = PASSWORD_POLICY) {
  const codes = passwordProblems(password, policy);
  if (codes.length > 0) {
    throw invalid(`The password is not acceptable: ${codes.join(', ')}.`, {
      code: 'InvalidPassword',
      errors: { password: codes },
    });
  }
}
