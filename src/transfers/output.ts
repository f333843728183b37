import { randomUUID } from 'node:crypto';
import type { NewDataset } from '../datasets/queries.ts';
import type { DatasetType } from '../datasets/record.ts';
import type { ConversionResult } from '../formats/convert.ts';
import type { AcceptedRequest, TransferType } from './request.ts';
import type { ClaimedRow, Fence } from './run.queries.ts';

/** What the bytes that a conversion made become; `Update` and `Append` have a place of their own when they come. */
export type Output = { dataset: NewDataset & { id: string } } | { exported: { blob: string; fileName: string } };

/** Each run has a name of its own, so that a worker that was overtaken never writes over its successor's bytes. */
export const outputBlob = ({ type, id, attempt }: Fence & { type: TransferType }) =>
  `${type === 'Export' ? 'export' : 'dataset'}/${id}-${attempt}`;

export function outputOf(
  transfer: ClaimedRow,
  request: AcceptedRequest,
  result: ConversionResult,
  { blob, size }: { blob: string; size: number },
): Output {
  if (transfer.type === 'Export') return { exported: { blob, fileName: request.outputFileName ?? request.inputName } };
  if (request.output === undefined) throw new Error(`A transfer of type ${transfer.type} has no dataset to make.`);
  return {
    dataset: {
      id: randomUUID(),
      projectId: transfer.projectId,
      ...request.output,
      datasetType: datasetTypeOf(transfer.format),
      datasetFormat: transfer.format,
      spatialInformation: result.spatialInformation,
      blob,
      storageSize: size,
      userId: transfer.createdBy,
    },
  };
}

/** Of the datasets that have this format; all but a few are files. */
export const datasetTypeOf = (format: string): DatasetType => DEDICATED[format] ?? 'file';

const DEDICATED: Partial<Record<string, DatasetType>> = {
  md: 'multidimensional',
  gis: 'gisvectordata',
  ts: 'timeseries',
  tiles: 'tiles',
};
