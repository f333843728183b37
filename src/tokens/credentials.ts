import { z } from 'zod';

/** Members of a request with the credentials of an account. */
export const credentialsShape = {
  /** The login id. */
  id: z.string(),
  password: z.string(),
  /** One-time password or recovery code. */
  otp: z.string().optional(),
  /** Type of the authenticator; default: the type of the first one. */
  otpAuthenticator: z.string().optional(),
};
export type Credentials = z.infer<z.ZodObject<typeof credentialsShape>>;

/** The second factor of a login. */
export type Code = Pick<Credentials, 'otp' | 'otpAuthenticator'>;
