import { fits, readers, type Writer, writers } from 'hydrofiles';
import { readableDataset } from '../datasets/access.ts';
import { AppError, conflict, invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { databaseRefusal } from '../platform/sql/error-kind.ts';
import type { StartRequest } from '../transfers/starts/check.ts';
import { checkExport, writeExport } from '../transfers/starts/export.ts';
import type { StartParts } from '../transfers/starts/start.ts';
import { countRecent, holdOpenShare } from './conversions.queries.ts';
import type { Opened } from './open.ts';

/** Conversions of a link in 24 hours. */
const MAX_A_DAY = 5;

/** Writers of files of other formats into which a dataset of this format can be converted. */
export function offeredWriters(datasetFormat: string): Writer[] {
  const reader = readers.find(({ format }) => format === datasetFormat);
  if (!reader) return [];
  return writers.filter((writer) => !writer.rows && writer.extension !== '' && fits(reader, writer));
}

export interface SharedRequest {
  writerName: string;
  writerParameters?: StartRequest['writerParameters'];
}

/**
 * Starts the conversion of a link's dataset as its creator, and so at the cost of the dataset's tenant. Only the link
 * shows it. Takes no transformations: they could name other datasets, which the creator may read, and addresses.
 * @param from where the request came from
 * @returns the id of the transfer. Undefined if the link is not open any more: it has ended since `findOpened`, or its
 * dataset was deleted or moved
 * @throws AppError without anything about the tenant, its credits or its other transfers
 */
export async function startShared(
  parts: StartParts,
  { share, creator }: Opened,
  { writerName, writerParameters }: SharedRequest,
  from: Pick<Caller, 'address' | 'requestId' | 'traceparent'>,
): Promise<string | undefined> {
  const offered = offeredWriters(share.datasetFormat).map(({ name }) => name);
  if (!offered.includes(writerName))
    throw invalidMember('writerName', `'${writerName}' is none of the writers of this link: ${offered.join(', ')}.`);
  const wanted = { datasetId: share.datasetId, writerName, writerParameters, nodeSizes: parts.nodeSizes };
  const conversion = checkExport(wanted, share.datasetFormat);
  const caller = { ...creator, ...from };
  return parts.db
    .transaction(async (tx) => {
      // the dataset first, as whoever moves it to another tenant
      const isReadable = await readableDataset(tx, caller, share.datasetId).then(() => true, refuseUnlessHidden);
      if (!isReadable || !(await holdOpenShare(tx, share.id))) return undefined;
      const { count, wait } = await countRecent(tx, share.id);
      if (count >= MAX_A_DAY)
        throw new AppError('tooManyRequests', `A link converts ${MAX_A_DAY} times in 24 hours. Try again later.`, {
          code: 'TooManyConversions',
          retryAfter: Math.max(1, wait),
        });
      const { summary } = await writeExport(tx, parts, caller, wanted, {
        conversion,
        dryRun: false,
        shareId: share.id,
      });
      return summary.id;
    })
    .catch((error: unknown) => {
      const refusal = error instanceof AppError ? error : databaseRefusal(error);
      if (refusal === undefined || (error instanceof AppError && error.kind === 'tooManyRequests')) throw error;
      throw conflict('The dataset cannot be converted now. Try again later, or ask who gave you the link.', {
        code: 'ConversionNotPossible',
      });
    });
}

/** False if the dataset is gone, or its creator may not read it any more. Throws other errors. */
function refuseUnlessHidden(error: unknown): false {
  if (error instanceof AppError && (error.kind === 'notFound' || error.kind === 'forbidden')) return false;
  throw error;
}
