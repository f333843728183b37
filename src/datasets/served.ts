import type { Reads } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Asker } from '../http/rules/signed-link.ts';
import { checkGrant, grantQuery, grantRefused, type LinkSigner, type ProvenGrant } from '../uploads/address.ts';
import { visibleDataset } from './access.ts';
import { acceptsGrant } from './grants.ts';
import { findServed, type ServedDataset } from './served.queries.ts';

export interface Served {
  readonly dataset: ServedDataset;
  /** The query of a signed link, for the addresses in the answer. */
  readonly signature?: string;
}

/**
 * The dataset of a request, for a caller who may read it or the holder of a signed link. Rights are checked for each
 * request, before any cache.
 */
export async function servedDataset(
  { db, signer }: { db: Reads; signer: LinkSigner },
  asker: Asker,
  id: string,
): Promise<Served> {
  if ('caller' in asker) return { dataset: await visibleDataset(db, asker.caller, id) };
  const { signature } = asker;
  const grant = await checkGrant(signer, { area: 'dataset', name: id }, signature);
  if (!grant?.permission.includes('r') || !(await acceptsGrant(db, signer.issuers, id, grant, 'r')))
    throw grantRefused();
  const dataset = await findServed(db, id);
  if (dataset === null) throw notFound('Dataset', id);
  return { dataset, signature: await readingSignature(signer, id, signature, grant) };
}

/** A link that grants more counts as one for reading: addresses in answers are signed anew for it. */
async function readingSignature(
  signer: LinkSigner,
  id: string,
  signature: URLSearchParams,
  { permission, folder, expiresAt, generation, issuer }: ProvenGrant,
): Promise<string> {
  if (permission === 'r') return signature.toString();
  const scope = folder === undefined ? ({ area: 'dataset', name: id } as const) : { folder };
  return grantQuery(signer, scope, { permission: 'r', expiresAt, generation, issuer });
}
