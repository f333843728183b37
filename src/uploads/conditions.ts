import type { FastifyRequest } from 'fastify';
import type { BlobInfo } from '../blobs/blobs.ts';
import { AppError, invalid } from '../errors.ts';
import type { WriteConditions } from './blob-area.ts';

/** Conditions of a write: `If-Match` and `If-None-Match` (RFC 9110), and the blob type. */
export function writeConditions(request: FastifyRequest): WriteConditions {
  const type = request.headers['x-ms-blob-type'];
  if (type !== undefined && type !== 'BlockBlob') {
    throw invalid(`x-ms-blob-type '${type}' is not supported. Use BlockBlob.`, { code: 'InvalidHeaderValue' });
  }
  const etag = request.headers['if-match'];
  const onlyNew = request.headers['if-none-match']?.trim() === '*';
  if (etag === undefined) return { onlyNew };
  return etag.trim() === '*' ? { onlyNew, onlyExisting: true } : { onlyNew, etag: etag.trim() };
}

export const etagMismatch = ({ etag }: BlobInfo) =>
  new AppError(
    'preconditionFailed',
    `The blob's ETag is ${etag}, which If-Match or If-None-Match of the request excludes.`,
  );

/** Throws `preconditionFailed` if `If-Match` excludes the current ETag. */
export function checkMatch(request: FastifyRequest, info: BlobInfo) {
  const wanted = request.headers['if-match'];
  if (wanted !== undefined && !includesEtag(wanted, info.etag)) {
    throw etagMismatch(info);
  }
}

/** Whether `If-None-Match` contains the current ETag, also as a weak ETag, into which a proxy may have turned it. */
export const isKnown = (request: FastifyRequest, info: BlobInfo) =>
  includesEtag(request.headers['if-none-match']?.replaceAll('W/"', '"'), info.etag);

export const includesEtag = (header: string | undefined, etag: string) =>
  (header ?? '').split(',').some((part) => ['*', etag].includes(part.trim()));

/** The requested range, or undefined if `If-Range` names another state of the blob. */
export function rangeHeader(request: FastifyRequest, info: BlobInfo): string | undefined {
  const condition = request.headers['if-range'];
  if (typeof condition === 'string' && condition !== info.etag && condition !== info.lastModified.toUTCString()) {
    return undefined;
  }
  const blobRange = request.headers['x-ms-range'];
  return typeof blobRange === 'string' ? blobRange : request.headers.range;
}
