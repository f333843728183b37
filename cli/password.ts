import type { PasswordPolicy } from '../src/accounts/password-policy.ts';
import type { Io } from './io.ts';

export interface PasswordOptions {
  passwordStdin?: boolean;
}

/** Reads a password from stdin (`--password-stdin`), else asks for it. */
export async function passwordFrom(
  io: Io,
  { passwordStdin }: PasswordOptions,
  question = 'Password:',
): Promise<string> {
  return passwordStdin ? io.stdin() : io.secret(question, 'Send the password on stdin and use --password-stdin');
}

/** Reads a new password. Shows the password policy before it asks. */
export async function newPasswordFrom(
  io: Io,
  options: PasswordOptions,
  policy: () => Promise<PasswordPolicy>,
  question = 'New password:',
): Promise<string> {
  if (!options.passwordStdin && io.interactive) io.note(describeRules(await policy()));
  return passwordFrom(io, options, question);
}

/** The password policy of the server. */
export const policyOfServer = (io: Io) => async (): Promise<PasswordPolicy> =>
  (await io.api.call<PasswordPolicy>('GET', '/api/accounts/passwordpolicy', { anonymous: true })).body;

function describeRules(policy: PasswordPolicy): string {
  const classes = [
    policy.requireLowercase && 'a lower-case letter',
    policy.requireUppercase && 'an upper-case letter',
    policy.requireDigit && 'a digit',
    policy.requireNonAlphanumeric && 'a character that is neither letter nor digit',
  ].filter((one) => one !== false);
  const length = `at least ${policy.requiredLength} characters, ${policy.requiredUniqueChars} of them different`;
  const [last] = classes.slice(-1);
  const list = classes.length < 2 ? classes.join() : `${classes.slice(0, -1).join(', ')} and ${last}`;
  return `A password has ${length}${list === '' ? '' : `, among them ${list}`}. Widely known ones are refused.`;
}
