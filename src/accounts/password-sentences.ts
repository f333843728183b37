import type { PasswordPolicy } from './password-policy.ts';

const CLASSES = [
  ['requireLowercase', 'a lower-case letter'],
  ['requireUppercase', 'an upper-case letter'],
  ['requireDigit', 'a digit'],
  ['requireNonAlphanumeric', 'a character that is neither a letter nor a digit'],
] as const;

/** The requirements of a policy for a web page. */
export const policySentences = (policy: PasswordPolicy): string[] => [
  `at least ${policy.requiredLength} characters`,
  ...(policy.requiredUniqueChars > 1 ? [`at least ${policy.requiredUniqueChars} different ones`] : []),
  ...CLASSES.filter(([name]) => policy[name]).map(([, sentence]) => sentence),
  'not the login id',
];

/** Sentences for the codes of a refused password. */
export const passwordSentences = (codes: readonly string[], policy: PasswordPolicy): string[] =>
  codes.map(
    (code) =>
      ({
        PasswordIsTooShort: `It must have at least ${policy.requiredLength} characters.`,
        PasswordRequiresUniqueChars: `It must have at least ${policy.requiredUniqueChars} different characters.`,
        PasswordRequiresNonAlphanumeric: 'It must have a character that is neither a letter nor a digit.',
        PasswordRequiresLower: 'It must have a lower-case letter.',
        PasswordRequiresUpper: 'It must have an upper-case letter.',
        PasswordRequiresDigit: 'It must have a digit.',
        PasswordContainsLoginId: 'It must not contain the login id.',
        PasswordIsBreached: 'It is among the passwords that attackers try first. Choose another one.',
        PasswordWasUsedBefore: 'The account has used it before. Choose another one.',
      })[code] ?? `It is refused: ${code}.`,
  );
