import type { z } from 'zod';
import { text } from '../http/rules/members.ts';

/** Members of a request with the credentials of an account. */
export const credentialsShape = {
  id: text('Login id, in any letter case.', 'ann'),
  password: text('Password of the account.', 'Seven-bends-9'),
  otp: text('One-time password of six digits, or a recovery code.', '492039').optional(),
  otpAuthenticator: text('Type of the authenticator; default: the type of the first one.', 'APPAUTH').optional(),
};
export type Credentials = z.infer<z.ZodObject<typeof credentialsShape>>;

/** The second factor of a login. */
export type Code = Pick<Credentials, 'otp' | 'otpAuthenticator'>;
