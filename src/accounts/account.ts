import { z } from 'zod';
import { type AppError, invalid } from '../errors.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import {
  component,
  flag,
  METADATA,
  number,
  rowVersion,
  text,
  texts,
  timeText,
  uuidText,
} from '../http/rules/members.ts';

export const Text = chosenName(z.string().max(255));
/** Mail address. Only its form is checked. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s\p{Cc}\p{Cf}@<>,;:"()[\]\\]+@[^\s\p{Cc}\p{Cf}@<>,;:"()[\]\\]+$/u, 'must be an e-mail address')
  .meta({ format: 'email' });
/** Contact data of a person in a request; an empty e-mail address removes it. */
export const contact = {
  name: Text.optional().meta({ description: 'Name of the person.', example: 'Ann Example' }),
  email: Email.or(z.literal(''))
    .optional()
    .meta({ description: 'E-mail address; empty: none.', example: 'ann@example.org' }),
  company: Text.optional().meta({ description: 'Company of the person.', example: 'River authority' }),
  phoneNumber: Text.optional().meta({ description: 'Telephone number.', example: '+45 1234 5678' }),
};
/** Its length only; `newPasswordHash` checks the policy. */
export const NewPassword = z.string().max(1000);

/**
 * `registered`: a code of an authenticator of the account was accepted; `required`: a group requires codes, and none
 * was accepted yet; `none`: the password alone is enough, perhaps only from some networks.
 */
const SECOND_FACTORS = ['none', 'required', 'registered'] as const;

/** An account in answers, without its password hash. */
export const Account = component('Account', {
  id: text('Login id, in any letter case.', 'ann'),
  userId: uuidText('User id of the account, a UUID.'),
  tenantId: uuidText('Id of the home tenant.').optional(),
  name: text('Name of the person.', 'Ann Example'),
  email: text('E-mail address of the person.', 'ann@example.org').optional(),
  company: text('Company of the person.', 'River authority').optional(),
  phoneNumber: text('Telephone number.', '+45 1234 5678').optional(),
  roles: text('Roles of the account, separated by commas.', 'BackOffice'),
  metadata: z.record(z.string(), z.unknown()).meta(METADATA),
  activated: flag('Whether the account was activated.'),
  enabled: flag('Whether the account may sign in.'),
  locked: flag('Whether the account is locked.'),
  lockedDateEnd: timeText('End of the lock, UTC. Absent: no end.').optional(),
  noOfUnsuccessfulLoginAttempts: number('Number of failed logins since the last successful one.'),
  lastLoginAttemptedDate: timeText('Time of the last login attempt, UTC.').optional(),
  lastLoginAt: timeText('Time of the last login that succeeded, UTC.').optional(),
  secondFactor: z
    .enum(SECOND_FACTORS)
    .describe(
      '`registered`: a code of an authenticator was accepted; `required`: a group requires codes, none was accepted yet; `none`.',
    ),
  allowMePasswordChange: flag('Whether the holder may change the password.'),
  userGroups: texts('Names of its groups.', ['Editors']),
  rowVersion,
});
export type Account = z.infer<typeof Account>;

/** Why an account cannot be used, or undefined. */
export function accountStatusError({
  enabled,
  activated,
  locked,
}: Pick<Account, 'enabled' | 'activated' | 'locked'>): AppError | undefined {
  if (!enabled) return invalid('Account is disabled.', { code: 'AccountDisabled' });
  if (locked) return invalid('Account is locked.', { code: 'AccountLocked' });
  if (!activated) return invalid('Account is not activated.', { code: 'AccountNotActivated' });
  return undefined;
}

/** Role names of a list separated by commas, without duplicates. */
export const parseRoles = (roles: string): string[] => [
  ...new Set(
    roles
      .split(',')
      .map((role) => role.trim())
      .filter(Boolean),
  ),
];
