import { randomUUID } from 'node:crypto';
import type { Db } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Outbound } from '../../platform/net/outbound.ts';
import { decodedOnce } from '../../uploads/address.ts';
import { insertSource } from './sources.queries.ts';

/** What it takes to accept the address of a remote file. */
export interface Sources {
  outbound: Outbound;
  sealer: Sealer;
}

/** A remote file as a transfer names it. */
export interface KeptSource {
  id: string;
  shown: string;
}

const contextOf = (id: string) => `remote source ${id}`;

/**
 * Keeps the address of a remote file for the transfer that the transaction starts. Refuses what can be refused without connecting. What
 * may be secret in the address stands in no answer and in no sentence.
 */
export async function keepSource(tx: Db, { outbound, sealer }: Sources, address: string): Promise<KeptSource> {
  const url = parseSource(outbound, address);
  const id = randomUUID();
  await insertSource(tx, id, sealer.seal(url.href, contextOf(id)));
  return { id, shown: shownAddress(url) };
}

/** What may be seen of an address: neither user and password nor query and fragment. */
export const shownAddress = ({ origin, pathname }: URL) => origin + pathname;

/** The address that was kept under this id. */
export const openSource = async (sealer: Sealer, id: string, sealed: Uint8Array): Promise<URL> =>
  new URL(await sealer.open(sealed, contextOf(id)));

function parseSource(outbound: Outbound, address: string): URL {
  const plain = decodedOnce(address);
  if (!URL.canParse(plain)) throw invalidMember('uploadUrl', 'uploadUrl is no address such as https://host/path.');
  const url = new URL(plain);
  if (url.protocol === 's3:')
    throw invalidMember(
      'uploadUrl',
      's3: addresses carry no right to read; give the https address of the object with its signature (a presigned URL).',
    );
  outbound.check(url.href, 'uploadUrl');
  if (credentialsOf(url) === undefined)
    throw invalidMember('uploadUrl', `User name and password before '${url.host}' are not percent-encoded.`);
  url.hash = '';
  return url;
}

/** `user:password` of an address, empty where there is none. Undefined: it is not percent-encoded as it should be. */
export function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return '';
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}
