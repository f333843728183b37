import { z } from 'zod';
import { type AppError, invalid } from '../errors.ts';
import { chosenName } from '../http/rules/chosen-names.ts';

export const Text = chosenName(z.string().max(255));
/** Mail address. Only its form is checked. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s\p{Cc}\p{Cf}@<>,;:"()[\]\\]+@[^\s\p{Cc}\p{Cf}@<>,;:"()[\]\\]+$/u, 'must be an e-mail address')
  .meta({ format: 'email' });
/** Its length only; `newPasswordHash` checks the policy. */
export const NewPassword = z.string().max(1000);

/**
 * `registered`: a code of an authenticator of the account was accepted; `required`: a group requires codes, and none
 * was accepted yet; `none`: the password alone is enough, perhaps only from some networks.
 */
const SECOND_FACTORS = ['none', 'required', 'registered'] as const;

/** An account in answers, without its password hash. */
export const Account = z
  .object({
    /** The login id. */
    id: z.string(),
    userId: z.string(),
    /** The home tenant. */
    tenantId: z.string().optional(),
    name: z.string(),
    email: z.string().optional(),
    company: z.string().optional(),
    phoneNumber: z.string().optional(),
    /** Separated by commas. */
    roles: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    activated: z.boolean(),
    enabled: z.boolean(),
    locked: z.boolean(),
    lockedDateEnd: z.string().optional(),
    noOfUnsuccessfulLoginAttempts: z.number(),
    lastLoginAttemptedDate: z.string().optional(),
    /** The last login that succeeded. */
    lastLoginAt: z.string().optional(),
    secondFactor: z.enum(SECOND_FACTORS),
    allowMePasswordChange: z.boolean(),
    userGroups: z.array(z.string()),
  })
  .meta({ id: 'Account' });
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
export const rolesOf = (roles: string): string[] => [
  ...new Set(
    roles
      .split(',')
      .map((role) => role.trim())
      .filter(Boolean),
  ),
];
