import { createHash, randomBytes } from 'node:crypto';
import { invalid } from '../errors.ts';

/** A token for the reader of a mail; only its hash is kept. */
export function newMailToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfMailToken(token) };
}

export const hashOfMailToken = (token: string) => createHash('sha256').update(token).digest();

/** The token of a link or a form, if it can be one. */
export function mailedToken(sent: unknown): string {
  if (typeof sent === 'string' && /^[\w-]{1,1000}$/.test(sent)) return sent;
  throw invalid('This address is not complete. Open the link of the mail, all of it.', { code: 'TokenNotValid' });
}
