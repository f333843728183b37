import { join } from 'node:path';
import { type ExistingDataset, findWriter } from 'hydrofiles';
import { findHeld } from '../../datasets/bytes.queries.ts';
import type { Reads } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { formatDuration } from '../../platform/text/time.ts';
import { writeSeriesFile } from '../../series/to-file.ts';
import type { AcceptedRequest } from '../starts/request.ts';
import { creditsExceeded } from './conversion.ts';
import type { Executor } from './executor.ts';
import type { ClaimedRow } from './run.queries.ts';
import { inTime, type TimeLimit } from './time-limit.ts';

type Held = NonNullable<Awaited<ReturnType<typeof findHeld>>>;

/**
 * The existing content of the dataset that a transfer appends to, or of which an update keeps parameters; undefined for
 * other transfers. The transfer has locked the dataset, so
 * every attempt starts from the same content, and nothing is added twice.
 */
export async function findExisting(
  db: Reads,
  { id, type, outputDatasetId }: ClaimedRow,
  request: Pick<AcceptedRequest, 'writerName' | 'writerParameters'>,
): Promise<Held | undefined> {
  if (type !== 'Append' && !(type === 'Update' && keepsParameters(request))) return undefined;
  const held = outputDatasetId === undefined ? undefined : await findHeld(db, outputDatasetId, id);
  if (!held) throw gone();
  return held;
}

const keepsParameters = ({ writerName, writerParameters }: Pick<AcceptedRequest, 'writerName' | 'writerParameters'>) =>
  findWriter(writerName)?.kept?.some((name) => writerParameters?.[name] === undefined) ?? false;

const gone = () => new AppError('gone', 'The dataset of this transfer no longer exists.');

/**
 * Fetches the existing content to a local file.
 * @param values of time series, which grow in place, values are fetched only for statistics
 */
export async function fetchExisting(
  { blobs, db }: Pick<Executor, 'blobs' | 'db'>,
  { blob, spatialInformation }: Held,
  { folder, transfer, values, time }: { folder: string; transfer: ClaimedRow; values: boolean; time: TimeLimit },
): Promise<ExistingDataset> {
  const { format, outputDatasetId = '' } = transfer;
  const path = join(folder, 'existing');
  const maxCredits = transfer.price?.maxCredits;
  const tooLong = () =>
    maxCredits === undefined
      ? `The dataset could not be fetched within the time limit of ${formatDuration(time.whole)}.`
      : creditsExceeded(maxCredits);
  await inTime(time, tooLong, async (signal) => {
    if (blob !== undefined) return blobs.fetch(blob, path, signal);
    if (!(await writeSeriesFile(db, outputDatasetId, path, { values, signal }))) throw gone();
  });
  const { primarySpatialReference: wkt, srid } = spatialInformation ?? {};
  return { path, format, ...(wkt === undefined ? {} : { crs: { wkt, ...(srid === undefined ? {} : { srid }) } }) };
}
