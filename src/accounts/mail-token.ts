import { createHash, randomBytes } from 'node:crypto';

/** A token for the reader of a mail; only its hash is kept. */
export function newMailToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfMailToken(token) };
}

export const hashOfMailToken = (token: string) => createHash('sha256').update(token).digest();
