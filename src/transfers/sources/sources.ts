import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Outbound } from '../../platform/net/outbound.ts';
import { decodedOnce } from '../../uploads/address.ts';
import { insertSource } from './sources.queries.ts';

/** Accepts and seals addresses of remote files. */
export interface Sources {
  outbound: Outbound;
  sealer: Sealer;
}

/** A stored address of a remote file. */
export interface StoredSource {
  id: string;
  /** The address without secrets. */
  shown: string;
}

const contextOf = (id: string) => `remote source ${id}`;

/**
 * Seals and stores the address of a remote file, in the transaction that starts its transfer. Checks it without
 * connecting. No answer and no message contains its secret parts.
 * @param member of the request, for messages
 */
export async function storeSource(
  tx: Transaction,
  { outbound, sealer }: Sources,
  address: string,
  member = 'uploadUrl',
): Promise<StoredSource> {
  const url = checkAddress(outbound, address, member);
  const id = randomUUID();
  await insertSource(tx, id, sealer.seal(url.href, contextOf(id)));
  return { id, shown: shownAddress(url) };
}

/** The address without user, password, query and fragment. */
export const shownAddress = ({ origin, pathname }: URL) => origin + pathname;

/** Unseals a stored address. */
export const openSource = async (sealer: Sealer, id: string, sealed: Uint8Array): Promise<URL> =>
  new URL(await sealer.unseal(sealed, contextOf(id)));

/**
 * The address of a remote file, without its fragment. Connects to nothing.
 * @throws AppError invalid for one that the platform may not call
 */
export function checkAddress(outbound: Outbound, address: string, member: string): URL {
  const plain = decodedOnce(address);
  if (!URL.canParse(plain))
    throw invalidMember(member, `${member} is not a URL. Send an address such as https://host/path.`);
  const url = new URL(plain);
  if (url.protocol === 's3:')
    throw invalidMember(member, 's3: addresses contain no credentials. Send a presigned https URL of the object.');
  outbound.check(url.href, member);
  if (basicAuthorization(url) === undefined)
    throw invalidMember(
      member,
      `User and password before '${url.host}' are not valid percent-encoding. Encode % as %25.`,
    );
  url.hash = '';
  return url;
}

/** Decodes `user:password` of an address; empty if absent. Undefined: invalid percent-encoding. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return '';
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}
