import { type ConversionResult, copied, IGNORED, onlyCopies } from 'hydrofiles';
import type { BlobInfo, BlobStore } from '../../blobs/blobs.ts';
import type { AcceptedRequest } from '../starts/request.ts';
import { outputBlob } from './output.ts';
import type { Report } from './report.ts';
import type { ClaimedRow } from './run.queries.ts';

/**
 * Up to this size in bytes the worker copies by itself: a child process and local files would cost many times as much.
 */
const SMALL = 1 << 20;

async function* piece(bytes: Buffer) {
  yield bytes;
}

/**
 * Copies a small file that is not converted from blob to blob. Undefined: the transfer is not of this kind, and nothing
 * was done. As with every result, the bytes are on the disk before a row names the blob.
 */
export async function copySmall(
  blobs: BlobStore,
  transfer: ClaimedRow,
  request: AcceptedRequest,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<{ result: ConversionResult; made: BlobInfo } | undefined> {
  const { inputBlob, inputSize } = transfer;
  if (inputBlob === undefined || inputSize === undefined || inputSize > SMALL) return undefined;
  if (!onlyCopies(request.readerName, request.writerName)) return undefined;
  const bytes = await blobs.readAll(inputBlob, inputSize, signal);
  if (request.transformations.length > 0) report.log('warning', IGNORED);
  const result = copied(bytes, { input: request.inputName, output: request.outputFileName });
  return { result, made: await blobs.put(outputBlob(transfer), piece(bytes), bytes.length, signal) };
}
