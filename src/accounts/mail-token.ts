import { createHash, randomBytes } from 'node:crypto';
import { invalid } from '../errors.ts';

/** A token for a mail. Only its hash is stored. */
export function newMailToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfMailToken(token) };
}

export const hashOfMailToken = (token: string) => createHash('sha256').update(token).digest();

/** Checks the form of a token of a link or a page. */
export function mailedToken(value: unknown): string {
  if (typeof value === 'string' && /^[\w-]{1,1000}$/.test(value)) return value;
  throw invalid('The link is incomplete. Open the whole link of the mail.', { code: 'TokenNotValid' });
}
