import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Asker } from '../http/rules/signed-link.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { checkGrant, grantRefused } from '../uploads/address.ts';
import { visibleDataset } from './access.ts';
import { acceptsGrant } from './bytes.queries.ts';
import type { ServedDataset } from './served.queries.ts';
import { findServed } from './served.queries.ts';

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
  { db, signer }: { db: Db; signer: Signer },
  asker: Asker,
  id: string,
): Promise<Served> {
  if ('caller' in asker) return { dataset: await visibleDataset(db, asker.caller, id) };
  const { signature } = asker;
  const grant = await checkGrant(signer, { area: 'dataset', name: id }, signature);
  if (grant === undefined || !grant.permission.includes('r') || !(await acceptsGrant(db, id, grant)))
    throw grantRefused();
  const dataset = await findServed(db, id);
  if (dataset === null) throw notFound('Dataset', id);
  return { dataset, signature: signature.toString() };
}
