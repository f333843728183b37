import { findWriter, type Receipt } from 'hydrofiles';
import { z } from 'zod';
import {
  component,
  finishedAt,
  number,
  objects,
  text,
  texts,
  timeText,
  updatedAt,
  updatedBy,
  uuidText,
} from '../../http/rules/members.ts';
import type { Grant } from '../../uploads/address.ts';
import { Summary, type TransferRow } from '../queries.ts';
import { badRecordsName, exportName } from '../run/export.ts';
import { AcceptedRequest, MoveOrCopy } from '../starts/request.ts';
import { Transformation } from '../starts/transformation-form.ts';

const Parameters = z.array(
  component('GivenParameter', {
    name: text('Name of the parameter.', 'SRID'),
    value: z.any().meta({ description: 'Value of the parameter, any JSON.', example: 25832 }),
  }),
);
const conversion = {
  readerName: text('Reader; see the list of readers.', 'AsciiGridReader'),
  writerName: text('Writer; see the list of writers.', 'GeoTiffWriter'),
  readerParameters: Parameters.describe('Parameters of the reader.'),
  writerParameters: Parameters.describe('Parameters of the writer.'),
  transformations: z.array(Transformation).describe('Transformations, in this order.'),
  srid: z.any().optional().meta({ description: 'EPSG or ESRI code of the coordinate system.', example: 25832 }),
  arguments: z
    .any()
    .optional()
    .meta({
      description: 'Parameters of the reader or writer: a list, or an object.',
      example: [{ name: 'SRID', value: 25832 }],
    }),
  destinations: texts('Kinds of stores, for legacy clients. Ignored: the format decides.', ['Project']).optional(),
};

const ReceiptFile = component('ReceiptFile', {
  name: text('Name of the file.', 'valley.tif').optional(),
  size: number('Size in bytes.', 1204),
  sha256: text('SHA-256 of the content, hexadecimal.'),
});
/** The receipt of a conversion; the members that every one has, and others of `Receipt`. */
const TransferReceipt = z
  .looseObject({
    input: ReceiptFile.describe('The file that was read.'),
    inputs: z.array(ReceiptFile).optional().describe('Files that the first transformation joins.'),
    output: ReceiptFile.describe('The file that was written.'),
    appended: component('AppendedCounts', {
      present: number('Records of the dataset before.'),
      added: number('Records that were added.'),
    })
      .optional()
      .describe('For appends: numbers of records.'),
    lost: texts('Sentences about parts of the input that the output does not have.'),
    remarks: texts('Sentences about what was repaired, guessed or taken as default.'),
  })
  .meta({ id: 'TransferReceipt' });

/** A transfer in answers. */
export const Transfer = Summary.extend({
  updatedAt,
  updatedBy,
  projectId: uuidText('Id of the project of the transfer.'),
  importParameters: z
    .object({
      uploadUrl: text(
        'URL of the uploaded file, or of a file on another server.',
        'https://platform.example/api/blob/staging/3f1e8a7c',
      ),
      fileName: text('Name of the imported file.', 'valley.asc'),
      uploadUrls: z
        .array(
          z.object({
            uploadUrl: text('URL of the uploaded file, or of a file on another server.'),
            originalFileName: text('Name of the file.', 'valley.asc'),
          }),
        )
        .optional()
        .describe('All files of a mosaic or stack.'),
      appendDatasetId: uuidText('Dataset to append to.').optional(),
      ...conversion,
    })
    .optional()
    .describe('Request of an import.'),
  exportParameters: z
    .object({
      datasetId: uuidText('Id of the dataset.'),
      outputFileName: text('Name of the exported file.', 'valley.tif'),
      ...conversion,
    })
    .optional()
    .describe('Request of an export.'),
  importResults: objects('The written dataset, after completion.', {
    projectId: uuidText('Id of the project.'),
    datasetId: uuidText('Id of the dataset.'),
  }).optional(),
  downloadPath: text(
    'Signed URL of the exported file, valid for an hour.',
    'https://platform.example/api/blob/export/…?sig=…',
  ).optional(),
  errorMessage: text('Why the transfer failed.', 'The file is no GeoTIFF.').optional(),
  progress: number('Percent; 100 only after completion.', 100),
  phase: text('Current phase.', 'Writing').optional(),
  startedAt: timeText('Start of the last attempt, UTC.').optional(),
  finishedAt: finishedAt.optional(),
  attempt: z.int().describe('Number of the attempt.'),
  waitingReason: text('Why the transfer waits.', 'No worker has the label gpu.').optional(),
  needs: texts('Resource requests.', ['label:gpu=a100', 'memory:4096']).optional(),
  recordsRead: number('Number of records read.').optional(),
  recordsWritten: number('Number of records written.').optional(),
  recordsSkipped: number('Number of records skipped.').optional(),
  badRecordsUrl: text(
    'Signed URL of the list of skipped records.',
    'https://platform.example/api/blob/export/…?sig=…',
  ).optional(),
  logUrl: text('URL of the log.', 'https://platform.example/api/conversion/transfer/…/log'),
  receipt: TransferReceipt.optional().describe(
    'Input and output: sizes, checksums, statistics; what was lost, and what was repaired or guessed.',
  ),
  retryOf: uuidText('Id of the transfer that this one retries.').optional(),
  carry: MoveOrCopy.optional().describe('For a move or copy of a dataset into another tenant: `move` or `copy`.'),
}).meta({ id: 'Transfer' });
export type Transfer = z.infer<typeof Transfer>;

/** Base of the addresses in an answer, and the function that signs those of downloadable files. */
export interface Addresses {
  base: string;
  signExport(name: string, grant: Omit<Grant, 'permission' | 'issuer'>): Promise<string>;
}

const DOWNLOAD_MS = 3_600_000;

export async function toTransfer(row: TransferRow, addresses: Addresses): Promise<Transfer> {
  const request = AcceptedRequest.parse(row.request);
  const { readerName, writerName, transformations } = request;
  const parameters = {
    readerName,
    writerName,
    readerParameters: asPairs(request.readerParameters),
    writerParameters: asPairs(request.writerParameters),
    transformations,
    ...request.older,
  };
  const {
    rights: _,
    generation,
    readsContents,
    receipt,
    request: __,
    inputDatasetId,
    outputDatasetId,
    outputBlob,
    outputFileName,
    outputMediaType,
    badRecordsBlob,
    ...shown
  } = row;
  const from = inputDatasetId ?? (row.carry === 'move' ? outputDatasetId : undefined);
  return {
    ...shown,
    ...(readsContents && receipt !== undefined ? { receipt: withRemarks(receipt as Receipt) } : {}),
    ...(request.uploadUrl === undefined
      ? {}
      : {
          importParameters: {
            uploadUrl: request.uploadUrl,
            fileName: request.inputName,
            ...(request.inputs === undefined
              ? {}
              : { uploadUrls: request.inputs.map(({ name, uploadUrl }) => ({ uploadUrl, originalFileName: name })) }),
            ...(row.type === 'Append' && outputDatasetId !== undefined ? { appendDatasetId: outputDatasetId } : {}),
            ...parameters,
          },
        }),
    ...(from !== undefined
      ? {
          exportParameters: {
            datasetId: from,
            outputFileName: request.outputFileName ?? request.inputName,
            ...parameters,
          },
        }
      : {}),
    ...(row.status !== 'Completed' || outputDatasetId === undefined
      ? {}
      : { importResults: [{ projectId: row.projectId, datasetId: outputDatasetId }] }),
    ...(!readsContents || outputBlob === undefined || outputFileName === undefined
      ? {}
      : {
          downloadPath: await addresses.signExport(exportName(row.id, outputFileName), {
            expiresAt: new Date(Date.now() + DOWNLOAD_MS),
            generation,
            fileName: outputFileName,
            contentType: outputMediaType ?? findWriter(writerName)?.mediaType ?? 'application/octet-stream',
          }),
        }),
    ...(!readsContents || badRecordsBlob === undefined
      ? {}
      : {
          badRecordsUrl: await addresses.signExport(badRecordsName(row.id), {
            expiresAt: new Date(Date.now() + DOWNLOAD_MS),
            generation,
            fileName: `${request.inputName.replace(/\.[^.]*$/, '')} bad records.geojson`,
            contentType: 'application/geo+json',
          }),
        }),
    logUrl: `${addresses.base}/api/conversion/transfer/${row.id}/log`,
  };
}

/** Receipts of older transfers have no `remarks`. */
const withRemarks = (receipt: Omit<Receipt, 'remarks'>) => ({ remarks: [], ...receipt });

/** Parameters in the form of requests. */
const asPairs = (parameters: Record<string, unknown>) =>
  Object.entries(parameters).map(([name, value]) => ({ name, value }));
