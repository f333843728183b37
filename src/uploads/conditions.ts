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

/**
 * Throws `preconditionFailed` if the address names the ETag of another version: its reader knows where the bytes of
 * that one are.
 */
export function checkVersion(query: URLSearchParams, { etag }: BlobInfo) {
  const named = query.get('etag');
  if (named === null || named === etag) return;
  throw new AppError(
    'preconditionFailed',
    `The content was replaced: the address names the ETag ${named}, and now it is ${etag}. Get a new address.`,
  );
}

/**
 * Throws `preconditionFailed` if `If-Match` excludes the current ETag, or without it `If-Unmodified-Since` the current
 * state (RFC 9110, 13.2.2).
 */
export function checkMatch({ headers }: FastifyRequest, info: BlobInfo) {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!includesEtag(ifMatch, info.etag)) throw etagMismatch(info);
    return;
  }
  const since = parseHttpDate(headers['if-unmodified-since']);
  if (since !== undefined && secondsOf(info) > since)
    throw new AppError(
      'preconditionFailed',
      `The blob was written at ${info.lastModified.toUTCString()}, after If-Unmodified-Since of the request.`,
    );
}

/**
 * Whether the client has the current state: `If-None-Match` contains its ETag, also as a weak ETag, into which a proxy
 * may have turned it; without that header, it was not written after `If-Modified-Since`.
 */
export function isKnown({ method, headers }: FastifyRequest, info: BlobInfo): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return includesEtag(known.replaceAll('W/"', '"'), info.etag);
  const since = method === 'GET' || method === 'HEAD' ? parseHttpDate(headers['if-modified-since']) : undefined;
  return since !== undefined && secondsOf(info) <= since;
}

/** `Last-Modified` in seconds since 1970, as it is sent. */
const secondsOf = ({ lastModified }: BlobInfo) => Math.floor(lastModified.getTime() / 1000);

/** Seconds since 1970. Undefined for what is not a date of HTTP, which is ignored. */
function parseHttpDate(header: string | undefined): number | undefined {
  const time = /^[A-Z][a-z]{2,8},? .*\d/.test(header ?? '') ? Date.parse(header ?? '') : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

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
