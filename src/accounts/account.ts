import { z } from 'zod';

export const Text = z.string().max(255);
/** One that a mail can be sent to, as far as its form can tell. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s\p{Cc}@<>,;:"()[\]\\]+@[^\s\p{Cc}@<>,;:"()[\]\\]+$/u, 'must be an e-mail address')
  .meta({ format: 'email' });
/** Checked against the policy by the rules; longer ones are refused unread. */
export const NewPassword = z.string().max(1000);

/** An account as answers show it; password and hash are never in it. */
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
    allowMePasswordChange: z.boolean(),
    userGroups: z.array(z.string()),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** What decides whether an account may sign in; its stored hash besides. */
export const SignInState = z.object({
  userId: z.string(),
  passwordHash: z.string(),
  enabled: z.boolean(),
  activated: z.boolean(),
  /** Now: a lock whose end has passed is none. */
  locked: z.boolean(),
});
export type SignInState = z.infer<typeof SignInState>;

/** The sentence that tells an account's holder why it cannot be used, or nothing. */
export function standingInTheWay(
  state: Pick<SignInState, 'enabled' | 'activated' | 'locked'>,
): { code: string; sentence: string } | undefined {
  if (!state.enabled) return { code: 'AccountDisabled', sentence: 'Account is disabled.' };
  if (state.locked) return { code: 'AccountLocked', sentence: 'Account is locked.' };
  if (!state.activated) return { code: 'AccountNotActivated', sentence: 'Account is not activated.' };
  return undefined;
}

/** Of a list separated by commas; each once. */
export const rolesOf = (roles: string): string[] => [
  ...new Set(
    roles
      .split(',')
      .map((role) => role.trim())
      .filter(Boolean),
  ),
];
