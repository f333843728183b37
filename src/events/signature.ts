import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks: a secret has this many bytes. */
const LEAST_BYTES = 24;
const MOST_BYTES = 64;
const NEW_BYTES = 32;
const PREFIX = 'whsec_';

export const newSecret = (): Buffer => randomBytes(NEW_BYTES);

/** As people are shown it and receivers are configured with it. */
export const secretText = (secret: Buffer): string => `${PREFIX}${secret.toString('base64')}`;

const unpadded = (base64: string) => base64.replaceAll('=', '');

/** `whsec_` and base64, or the base64 alone; undefined when it is neither, or too short or too long. */
export function readSecret(text: string): Buffer | undefined {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const secret = Buffer.from(encoded, 'base64');
  // base64 that says something else when it is written again would sign with other bytes elsewhere
  if (unpadded(secret.toString('base64')) !== unpadded(encoded)) return undefined;
  return secret.length >= LEAST_BYTES && secret.length <= MOST_BYTES ? secret : undefined;
}

/** Headers that let the receiver of this text know that it comes from here, and which event it is. `time` in milliseconds. */
export function signedHeaders(secret: Buffer, id: string, text: string, time: number): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
