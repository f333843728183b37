import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { calculateJwkThumbprint } from 'jose';
import type { KeyRow } from '../platform/keys/key-store.ts';

const MIN_BITS = 2048;

/**
 * Reads RSA keys from PEM files of the operator. The first one signs and must be private; the others are only
 * published: the next signing key, and former ones whose tokens may still be valid. The `kid` is the JWK thumbprint
 * (RFC 7638), so that all processes agree on it.
 */
export async function readKeyFiles(paths: readonly string[]): Promise<KeyRow[]> {
  return Promise.all(paths.map((path, at) => readKeyFile(path, at === 0)));
}

async function readKeyFile(path: string, mustBePrivate: boolean): Promise<KeyRow> {
  const pem = await readFile(path, 'utf8').catch((error: Error) => refuse(path, `cannot be read (${error.message})`));
  const key = parse(pem);
  if (key?.asymmetricKeyType !== 'rsa') refuse(path, 'contains no RSA key');
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_BITS)
    refuse(path, `has a key of less than ${MIN_BITS} bits`);
  if (mustBePrivate && key.type !== 'private') refuse(path, 'is the first file and must contain a private key');
  const material = key.export({ format: 'jwk' });
  return { kid: await calculateJwkThumbprint(material as never), material: { ...material } };
}

function parse(pem: string): KeyObject | undefined {
  for (const create of [createPrivateKey, createPublicKey]) {
    try {
      return create(pem);
    } catch {
      // a key of the other kind (private or public), or not PEM
    }
  }
  return undefined;
}

function refuse(path: string, problem: string): never {
  throw new Error(`tokens.keyFiles: ${path} ${problem}.`);
}
