import type { ServedDataset } from '../datasets/served.queries.ts';
import { servedDataset } from '../datasets/served.ts';
import type { Database } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Asker } from '../http/rules/signed-link.ts';
import type { LinkSigner } from '../uploads/address.ts';
import type { OpenDataset, Stores } from './stores.ts';

/** Services for the routes of multidimensional datasets. */
export interface StoreParts {
  readonly db: Database;
  /** Verifies signed links. */
  readonly signer: LinkSigner;
  readonly stores: Stores;
}

/** Opens a multidimensional dataset for one who may read it, and works on it. */
export async function withDataset<T>(
  parts: StoreParts,
  asker: Asker,
  id: string,
  work: (dataset: OpenDataset, record: ServedDataset) => Promise<T>,
): Promise<T> {
  const { stores } = parts;
  const { dataset: record } = await servedDataset(parts, asker, id);
  const blob = blobOf(record);
  try {
    return await work(await stores.open(blob), record);
  } catch (error) {
    if (!isGone(error)) throw error;
    stores.forget(blob);
    // A write has replaced the content since the record was read.
    const { dataset: later } = await servedDataset(parts, asker, id);
    if (later.blob === blob) throw error;
    return work(await stores.open(blobOf(later)), later);
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof AppError && (error.kind === 'notFound' || error.kind === 'preconditionFailed');

function blobOf({ id, datasetType, datasetFormat, blob, storageSize }: ServedDataset): string {
  if (datasetType !== 'multidimensional' || blob === undefined)
    throw invalid(
      `Dataset '${id}' is of type '${datasetType}' with format '${datasetFormat}', so its values cannot be queried here. Convert it with MDWriter.`,
    );
  if (storageSize > 0) return blob;
  throw invalid(`Dataset '${id}' has no content yet.`);
}
