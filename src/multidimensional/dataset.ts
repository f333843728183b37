import { visibleDataset } from '../datasets/access.ts';
import type { VisibleDataset } from '../datasets/queries.ts';
import type { Db } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { OpenDataset, Stores } from './stores.ts';

/** Opens a multidimensional dataset that the caller sees, and works on it. */
export async function withDataset<T>(
  { db, stores }: { db: Db; stores: Stores },
  caller: Caller,
  id: string,
  work: (dataset: OpenDataset, record: VisibleDataset) => Promise<T>,
): Promise<T> {
  const record = await visibleDataset(db, caller, id);
  const blob = blobOf(record);
  try {
    return await work(await stores.open(blob), record);
  } catch (error) {
    if (!isGone(error)) throw error;
    stores.forget(blob);
    // A write has replaced the content since the record was read.
    const later = await visibleDataset(db, caller, id);
    if (later.blob === blob) throw error;
    return work(await stores.open(blobOf(later)), later);
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof AppError && (error.kind === 'notFound' || error.kind === 'preconditionFailed');

function blobOf({ id, datasetType, datasetFormat, blob, storageSize }: VisibleDataset): string {
  if (datasetType !== 'multidimensional' || blob === undefined)
    throw invalid(
      `Dataset '${id}' is of type '${datasetType}' with format '${datasetFormat}', so its values cannot be queried here. Convert it with MDWriter.`,
    );
  if (storageSize > 0) return blob;
  throw invalid(`Dataset '${id}' has no content yet.`);
}
