import { randomBytes } from 'node:crypto';

/** Satisfies every password policy. */
export const newPassword = () => `${randomBytes(15).toString('base64url')}-Aa1`;
