import { randomUUID } from 'node:crypto';
import { type ConversionResult, findWriter, nameOfType } from 'hydrofiles';
import type { DatasetType } from '../../datasets/record.ts';
import type { AcceptedRequest, TransferType } from '../starts/request.ts';
import type { ClaimedRow, Fence, Output } from './run.queries.ts';

/**
 * The name of the result in the blob store. Each attempt has its own, so that a worker whose transfer was taken over
 * never overwrites its successor's bytes.
 */
export const outputBlob = ({ type, id, attempt }: Fence & { type: TransferType }) =>
  `${type === 'Export' ? 'export' : 'dataset'}/${id}-${attempt}`;

/** The name of the GeoJSON of skipped records in the blob store. */
export const badRecordsBlob = ({ id, attempt }: Fence) => `export/${id}-${attempt}-bad`;

export function planOutput(
  transfer: ClaimedRow,
  request: AcceptedRequest,
  result: ConversionResult,
  { blob, size }: { blob: string | undefined; size: number },
): Output {
  if (transfer.type === 'Export' && blob !== undefined) return { exported: { blob, ...exportedAs(request, result) } };
  const fileExtension = result.fileType?.extension;
  const { spatialInformation, temporalInformation, properties } = result;
  const userId = transfer.createdBy;
  if ((transfer.type === 'Update' || transfer.type === 'Append') && transfer.outputDatasetId !== undefined) {
    const { id: transferId, outputDatasetId: datasetId } = transfer;
    const grown = transfer.type === 'Append';
    const about = { fileExtension, spatialInformation, temporalInformation, properties, grown };
    return { replaced: { datasetId, transferId, blob, storageSize: size, ...about, userId } };
  }
  if (request.output === undefined) throw new Error(`A transfer of type ${transfer.type} has no dataset to make.`);
  return {
    dataset: {
      id: randomUUID(),
      projectId: transfer.projectId,
      ...request.output,
      properties: { ...request.output.properties, ...properties },
      datasetType: datasetTypeOf(transfer.format),
      datasetFormat: transfer.format,
      fileExtension,
      spatialInformation,
      temporalInformation,
      blob,
      storageSize: size,
      userId,
    },
  };
}

/** File name and media type of an export. */
function exportedAs({ outputFileName, inputName, writerName }: AcceptedRequest, { fileType }: ConversionResult) {
  const writer = findWriter(writerName);
  const name = outputFileName ?? inputName;
  if (writer === undefined) return { fileName: name, mediaType: undefined };
  return { fileName: nameOfType(name, writer, fileType), mediaType: (fileType ?? writer).mediaType };
}

/** The type of datasets of this format; `file` for all but a few. */
export const datasetTypeOf = (format: string): DatasetType => DEDICATED[format] ?? 'file';

const DEDICATED: Partial<Record<string, DatasetType>> = {
  md: 'multidimensional',
  gis: 'gisvectordata',
  ts: 'timeseries',
  tiles: 'tiles',
};
