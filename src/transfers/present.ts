import { join } from 'node:path';
import { findHeld } from '../datasets/bytes.queries.ts';
import { AppError } from '../errors.ts';
import type { Present } from '../formats/conversion.ts';
import type { ClaimedRow } from './run.queries.ts';
import type { RunParts } from './run.ts';

/**
 * Brings what a dataset holds to a local file, for a transfer that adds to it; undefined for all others. The transfer has the dataset
 * locked, so that each attempt finds the same: whatever an earlier one came to, nothing is added twice.
 */
export async function fetchPresent(
  { db, blobs }: Pick<RunParts, 'db' | 'blobs'>,
  { id, type, format, outputDatasetId }: ClaimedRow,
  folder: string,
  signal: AbortSignal,
): Promise<Present | undefined> {
  if (type !== 'Append') return undefined;
  const held = outputDatasetId === undefined ? undefined : await findHeld(db, outputDatasetId, id);
  if (!held) throw new AppError('gone', 'The dataset of this transfer is no longer there.');
  const path = join(folder, 'present');
  await blobs.fetch(held.blob, path, signal);
  const { primarySpatialReference: wkt, srid } = held.spatialInformation ?? {};
  return { path, format, ...(wkt === undefined ? {} : { crs: { wkt, ...(srid === undefined ? {} : { srid }) } }) };
}
