import { z } from 'zod';
import type { Receipt } from '../../files/convert/conversion.ts';
import { findWriter } from '../../files/formats/registry.ts';
import type { Grant } from '../../uploads/address.ts';
import { Summary, type TransferRow } from '../queries.ts';
import { badRecordsName, exportName } from '../run/export.ts';
import { AcceptedRequest, MoveOrCopy } from '../starts/request.ts';
import { Transformation } from '../starts/transformation-form.ts';

const Parameters = z.array(z.object({ name: z.string(), value: z.any() }).meta({ id: 'GivenParameter' }));
const conversion = {
  readerName: z.string(),
  writerName: z.string(),
  readerParameters: Parameters,
  writerParameters: Parameters,
  transformations: z.array(Transformation),
  srid: z.any().optional(),
  arguments: z.any().optional(),
  destinations: z.array(z.string()).optional(),
};

const ReceiptFile = z
  .object({ name: z.string().optional(), size: z.number(), sha256: z.string() })
  .meta({ id: 'ReceiptFile' });
/** The receipt of a conversion; the members that every one has, and others of `Receipt`. */
const TransferReceipt = z
  .looseObject({
    input: ReceiptFile,
    output: ReceiptFile,
    appended: z.object({ present: z.number(), added: z.number() }).meta({ id: 'AppendedCounts' }).optional(),
    lost: z.array(z.string()),
    remarks: z.array(z.string()),
  })
  .meta({ id: 'TransferReceipt' });

/** A transfer in answers. */
export const Transfer = Summary.extend({
  updatedAt: z.string(),
  updatedBy: z.string(),
  projectId: z.string(),
  importParameters: z
    .object({ uploadUrl: z.string(), fileName: z.string(), appendDatasetId: z.string().optional(), ...conversion })
    .optional(),
  exportParameters: z.object({ datasetId: z.string(), outputFileName: z.string(), ...conversion }).optional(),
  importResults: z.array(z.object({ projectId: z.string(), datasetId: z.string() })).optional(),
  downloadPath: z.string().optional(),
  errorMessage: z.string().optional(),
  progress: z.number(),
  phase: z.string().optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  attempt: z.int(),
  waitingReason: z.string().optional(),
  /** Requested resources, such as `label:gpu=a100` or `memory:4096`. */
  needs: z.array(z.string()).optional(),
  recordsRead: z.number().optional(),
  recordsWritten: z.number().optional(),
  recordsSkipped: z.number().optional(),
  badRecordsUrl: z.string().optional(),
  logUrl: z.string(),
  receipt: TransferReceipt.optional(),
  retryOf: z.string().optional(),
  /** A move or copy of a dataset into another tenant. */
  carry: MoveOrCopy.optional(),
}).meta({ id: 'Transfer' });
export type Transfer = z.infer<typeof Transfer>;

/** Base of the addresses in an answer, and the function that signs those of downloadable files. */
export interface Addresses {
  base: string;
  signExport(name: string, grant: Omit<Grant, 'permission' | 'issuer'>): Promise<string>;
}

const DOWNLOAD_MS = 3_600_000;

export async function transferOf(row: TransferRow, addresses: Addresses): Promise<Transfer> {
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
