import { insertDataset } from '../datasets/queries.ts';
import type { DatasetType } from '../datasets/record.ts';
import type { Db } from '../db.ts';
import type { ConversionResult } from '../formats/convert.ts';
import type { AcceptedRequest, TransferType } from './request.ts';
import type { ClaimedRow, Fence } from './run.queries.ts';

/** What the bytes that a conversion made become; `Update` and `Append` have a place of their own when they come. */
export type Output = { datasetId: string } | { blob: string; fileName: string };

/** Each run has a name of its own, so that a worker that was overtaken never writes over its successor's bytes. */
export const outputBlob = ({ type, id, attempt }: Fence & { type: TransferType }) =>
  `${type === 'Export' ? 'export' : 'dataset'}/${id}-${attempt}`;

export async function keepOutput(
  tx: Db,
  transfer: ClaimedRow,
  request: AcceptedRequest,
  result: ConversionResult,
  bytes: { blob: string; size: number },
): Promise<Output> {
  if (transfer.type === 'Export') {
    return { blob: bytes.blob, fileName: request.outputFileName ?? request.inputName };
  }
  if (request.output === undefined) throw new Error(`A transfer of type ${transfer.type} has no dataset to make.`);
  const { id } = await insertDataset(tx, {
    projectId: transfer.projectId,
    ...request.output,
    datasetType: datasetTypeOf(transfer.format),
    datasetFormat: transfer.format,
    ...(result.spatialInformation === undefined ? {} : { spatialInformation: result.spatialInformation }),
    blob: bytes.blob,
    storageSize: bytes.size,
    userId: transfer.createdBy,
  });
  return { datasetId: id };
}

/** Of the datasets that have this format; all but a few are files. */
export const datasetTypeOf = (format: string): DatasetType => DEDICATED[format] ?? 'file';

const DEDICATED: Partial<Record<string, DatasetType>> = {
  md: 'multidimensional',
  gis: 'gisvectordata',
  ts: 'timeseries',
  tiles: 'tiles',
};
