import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobInfo, BlobStore } from '../blobs/blobs.ts';
import { AppError, invalid } from '../errors.ts';
import { byteRange } from '../http/answers/byte-range.ts';
import { readWithMd5 } from './checked-body.ts';
import { isKnown, rangeHeader } from './conditions.ts';

/** Of every answer with bytes or an error, also for an export, which never changes: clients ask again with its ETag. */
export const CACHE_CONTROL = 'private, no-cache';
export const OCTET_STREAM = 'application/octet-stream';
/** Maximum size of a range for which an MD5 is returned. */
const MAX_MD5_RANGE = 4 * 2 ** 20;

/** What a client does with the bytes. */
interface Shown {
  /** `Content-Disposition`. */
  disposition?: string;
  contentType?: string;
}

/** Headers of the blob's state. */
export const setStateHeaders = (reply: FastifyReply, info: BlobInfo) =>
  reply
    .header('etag', info.etag)
    .header('last-modified', info.lastModified.toUTCString())
    .header('accept-ranges', 'bytes')
    .header('x-ms-blob-type', 'BlockBlob');

/** All headers of a blob. Untrusted content must not be rendered as a page of this origin. */
export const setBlobHeaders = (reply: FastifyReply, info: BlobInfo, shown: Shown) =>
  setStateHeaders(reply, info)
    .header('cache-control', CACHE_CONTROL)
    .header('content-security-policy', 'sandbox')
    .header('content-type', shown.contentType ?? OCTET_STREAM)
    .headers(shown.disposition === undefined ? {} : { 'content-disposition': shown.disposition });

/** Sends a blob or the range of it that the request names; 304 if the client has it. */
export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  { blobs, blob, info, shown }: { blobs: BlobStore; blob: string; info: BlobInfo; shown: Shown },
) {
  setBlobHeaders(reply, info, shown);
  if (isKnown(request, info)) return reply.code(304).send();
  const range = byteRange(rangeHeader(request, info), info.size);
  if (range === 'unsatisfiable') {
    throw new AppError('rangeNotSatisfiable', `The range is outside of the blob, which has ${info.size} bytes.`, {
      code: 'InvalidRange',
      headers: { 'content-range': `bytes */${info.size}` },
    });
  }
  if (range === 'whole') {
    return reply.header('content-length', info.size).send(await blobs.read(blob, undefined, info.etag));
  }
  const wantsMd5 = request.headers['x-ms-range-get-content-md5'] === 'true';
  if (wantsMd5 && range.end - range.start >= MAX_MD5_RANGE)
    throw invalid(`The range is larger than ${MAX_MD5_RANGE} bytes, the maximum for an MD5. Ask for smaller ranges.`, {
      code: 'OutOfRangeInput',
    });
  const bytes = await blobs.read(blob, range, info.etag);
  if (wantsMd5) {
    const { content, md5 } = await readWithMd5(bytes);
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${info.size}`);
    return reply.header('content-md5', md5).send(content);
  }
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${info.size}`)
    .header('content-length', range.end - range.start + 1)
    .send(bytes);
}
