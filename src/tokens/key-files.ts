import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { calculateJwkThumbprint } from 'jose';
import type { KeyMaterial } from './keys.ts';

const LEAST_BITS = 2048;

/**
 * RSA keys of an operator's own, PEM. The first signs and must be private; the others are only published: the next one, and those
 * whose tokens may still live. A key is known by its thumbprint (RFC 7638), so every process names it alike.
 */
export async function readKeyFiles(paths: readonly string[]): Promise<KeyMaterial[]> {
  return Promise.all(paths.map((path, at) => readKeyFile(path, at === 0)));
}

async function readKeyFile(path: string, mustBePrivate: boolean): Promise<KeyMaterial> {
  const pem = await readFile(path, 'utf8').catch((error: Error) => refuse(path, `cannot be read (${error.message})`));
  const key = parse(pem);
  if (key?.asymmetricKeyType !== 'rsa') refuse(path, 'holds no RSA key');
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) refuse(path, `has less than ${LEAST_BITS} bits`);
  if (mustBePrivate && key.type !== 'private') refuse(path, 'is the first and must hold a private key');
  const material = key.export({ format: 'jwk' });
  return { kid: await calculateJwkThumbprint(material as never), material: { ...material } };
}

function parse(pem: string): KeyObject | undefined {
  for (const create of [createPrivateKey, createPublicKey]) {
    try {
      return create(pem);
    } catch {
      // of the other kind, or none at all
    }
  }
  return undefined;
}

function refuse(path: string, what: string): never {
  throw new Error(`tokens.keyFiles: ${path} ${what}.`);
}
