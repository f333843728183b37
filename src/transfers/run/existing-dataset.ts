import { join } from 'node:path';
import type { BlobStore } from '../../blobs/blobs.ts';
import type { ExistingDataset } from '../../convert/conversion.ts';
import { findHeld } from '../../datasets/bytes.queries.ts';
import type { Db } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { formatDuration } from '../../platform/text/time.ts';
import type { ClaimedRow } from './run.queries.ts';
import type { TimeLimit } from './time-limit.ts';
import { inTime } from './time-limit.ts';

type Held = NonNullable<Awaited<ReturnType<typeof findHeld>>>;

/**
 * The existing content of the dataset that a transfer appends to; undefined for other transfers. The transfer has locked the dataset, so
 * every attempt starts from the same content, and nothing is added twice.
 */
export async function findExisting(db: Db, { id, type, outputDatasetId }: ClaimedRow): Promise<Held | undefined> {
  if (type !== 'Append') return undefined;
  const held = outputDatasetId === undefined ? undefined : await findHeld(db, outputDatasetId, id);
  if (!held) throw new AppError('gone', 'The dataset of this transfer no longer exists.');
  return held;
}

/** Fetches the existing content to a local file. */
export async function fetchExisting(
  blobs: BlobStore,
  { blob, spatialInformation }: Held,
  { folder, format, time }: { folder: string; format: string; time: TimeLimit },
): Promise<ExistingDataset> {
  const path = join(folder, 'existing');
  const tooLong = () => `The dataset could not be fetched within the time limit of ${formatDuration(time.whole)}.`;
  await inTime(time, tooLong, (stop) => blobs.fetch(blob, path, stop));
  const { primarySpatialReference: wkt, srid } = spatialInformation ?? {};
  return { path, format, ...(wkt === undefined ? {} : { crs: { wkt, ...(srid === undefined ? {} : { srid }) } }) };
}
