import { noBytes, visibleDataset } from '../../datasets/access.ts';
import { readGrant } from '../../datasets/grants.ts';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import { servedDataset } from '../../datasets/served.ts';
import type { Database } from '../../db.ts';
import { invalid } from '../../errors.ts';
import type { Asker } from '../../http/rules/signed-link.ts';
import { currentGeneration } from '../../projects/grant-generations.queries.ts';
import { grantQuery, type LinkSigner } from '../../uploads/address.ts';

/** A dataset with bytes, and a query that grants reading them. */
export interface ReadingLink {
  readonly dataset: Omit<ServedDataset, 'rowVersion'>;
  readonly blob: string;
  readonly query: string;
  readonly expires: Date;
}

/** A link to read the bytes of a dataset, for one who may read them; the holder of a link gets that again. */
export async function readingLink(
  { db, signer }: { db: Database; signer: LinkSigner },
  asker: Asker,
  id: string,
): Promise<ReadingLink> {
  if (!('caller' in asker)) {
    const { dataset, signature = '' } = await servedDataset({ db, signer }, asker, id);
    const expires = new Date(new URLSearchParams(signature).get('se') ?? '');
    return { dataset, blob: blobOf(dataset), query: signature, expires };
  }
  const generation = await currentGeneration(db);
  const dataset = await visibleDataset(db, asker.caller, id);
  const grant = readGrant(generation, asker.caller);
  const query = await grantQuery(signer, { area: 'dataset', name: dataset.id }, grant);
  return { dataset, blob: blobOf(dataset), query, expires: grant.expiresAt };
}

function blobOf({ id, blob, storageSize }: Pick<ServedDataset, 'id' | 'blob' | 'storageSize'>): string {
  if (blob === undefined) throw noBytes(id);
  if (storageSize > 0) return blob;
  throw invalid(`Dataset '${id}' has no content yet.`);
}
