import type { PasswordPolicy } from '../src/accounts/password-policy.ts';
import type { Io } from './io.ts';

export interface PasswordOptions {
  passwordStdin?: boolean;
}

/** From stdin when asked for, else from the person; an empty one is none. */
export async function passwordFrom(
  io: Io,
  { passwordStdin }: PasswordOptions,
  question = 'Password:',
): Promise<string> {
  return passwordStdin ? io.stdin() : io.secret(question, 'give --password-stdin and the password on stdin');
}

/** The same of a password that is set: before it is asked for, the person reads what it must have. */
export async function newPasswordFrom(
  io: Io,
  options: PasswordOptions,
  policy: () => Promise<PasswordPolicy>,
  question = 'New password:',
): Promise<string> {
  if (!options.passwordStdin && io.interactive) io.note(demandsOf(await policy()));
  return passwordFrom(io, options, question);
}

/** Of the platform that is asked. */
export const policyOfServer = (io: Io) => async (): Promise<PasswordPolicy> =>
  (await io.api.call<PasswordPolicy>('GET', '/api/accounts/passwordpolicy', { anonymous: true })).body;

function demandsOf(policy: PasswordPolicy): string {
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
