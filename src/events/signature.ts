import { createHmac, randomBytes } from 'node:crypto';
import type { Sealer } from '../platform/keys/sealing.ts';

/** Bytes of a secret, as the Standard Webhooks specification demands. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const NEW_BYTES = 32;
const PREFIX = 'whsec_';

export const newSecret = (): Buffer => randomBytes(NEW_BYTES);

/** Text form of a secret, with which receivers are configured. */
export const secretText = (secret: Buffer): string => `${PREFIX}${secret.toString('base64')}`;

const unpadded = (base64: string) => base64.replaceAll('=', '');

/** Bound to the webhook: copied to another one, it does not decrypt. */
const contextOf = (webhookId: string) => `secret of webhook ${webhookId}`;

/** Encrypts a secret for the database. */
export const sealSecret = (sealer: Sealer, webhookId: string, secret: Buffer): Buffer =>
  sealer.seal(secret.toString('base64'), contextOf(webhookId));

export const openSecret = async (sealer: Sealer, webhookId: string, sealed: Uint8Array): Promise<Buffer> =>
  Buffer.from(await sealer.unseal(sealed, contextOf(webhookId)), 'base64');

/** Parses a secret: base64, with or without the prefix `whsec_`. Undefined if the encoding or the length is invalid. */
export function readSecret(text: string): Buffer | undefined {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const secret = Buffer.from(encoded, 'base64');
  // refuses non-canonical base64, which other decoders may read as other bytes
  if (unpadded(secret.toString('base64')) !== unpadded(encoded)) return undefined;
  return secret.length >= MIN_BYTES && secret.length <= MAX_BYTES ? secret : undefined;
}

/**
 * Headers of the Standard Webhooks specification: event id, timestamp and signature of the body. `time` in
 * milliseconds.
 */
export function signedHeaders(secret: Buffer, id: string, text: string, time: number): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
