import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Area, BlobInfo, BlobStore } from '../blobs/blobs.ts';
import { AREAS, bytesOf } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import { byteRange } from '../http/answers/byte-range.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import type { BlobAddress, ProvenGrant } from './address.ts';
import { checkGrant, grantRefused, parseOwnAddress } from './address.ts';
import type { Place, WriteConditions } from './blob-area.ts';
import { BLOB_READ, BLOB_REMOVE, BLOB_STATE, BLOB_WRITE } from './blob-description.ts';
import { readBlockList } from './block-list.ts';
import { checkedBody, md5Of } from './checked-body.ts';
import { deleteStaged } from './staged.ts';

export interface BlobRoutes {
  db: Db;
  blobs: BlobStore;
  signer: Signer;
  /** Bytes that one upload may have. */
  maxSize: number;
  places: Record<Area, Place>;
  /** Of blobs with so many bytes programs without the blob protocol are sent to the store itself, where it can be read. */
  redirectFrom?: number | undefined;
}

const CODES: Partial<Record<AppError['kind'], string>> = {
  invalid: 'InvalidInput',
  notFound: 'BlobNotFound',
  preconditionFailed: 'ConditionNotMet',
  rangeNotSatisfiable: 'InvalidRange',
  tooLarge: 'RequestBodyTooLarge',
  unavailable: 'ServerBusy',
};
/** Bytes of a range whose checksum may be asked for. */
const LARGEST_SUMMED = 4 * 2 ** 20;
/** How long an address of the store can be used to begin. Until then nothing that is revoked here takes it back. */
const REDIRECT_SECONDS = 60;
/** An export is written once under its name, and kept for seven days. */
const FOREVER = 'private, max-age=604800, immutable';
const OCTETS = 'application/octet-stream';
const PATH = '/api/blob/:area/:name';
const options = (summary: string, described: Record<string, unknown>) =>
  ({ config: { access: 'public', service: 'none', described }, schema: { summary } }) as const;
const STATE = options('Size and state of a blob', BLOB_STATE);
const READ = options('Bytes of a blob, or a range of them', BLOB_READ);
const WRITE = options('Write a blob, a block, or a block list', BLOB_WRITE);
const REMOVE = options('Remove an uploaded blob', BLOB_REMOVE);

/**
 * Blob addresses, spoken to with the protocol of widely used blob-storage clients. The right lies in the address's query, so there is no
 * caller; bodies are streams whatever their type. Every refusal has its name in `x-ms-error-code` besides the problem in the body.
 */
export async function blobRoutes(
  app: App,
  { db, blobs, signer, maxSize, places, redirectFrom = Infinity }: BlobRoutes,
) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, _request, reply) => {
    const known = error instanceof AppError ? (error.details.code ?? CODES[error.kind]) : undefined;
    // what was said of the blob's bytes does not hold for a refusal
    reply.headers({ 'x-ms-error-code': known ?? 'InternalError', 'cache-control': 'private, no-cache' });
    throw error;
  });

  /** The address of the request, once its query was found to grant `wanted`: to read, to write, or either. */
  async function granted(request: FastifyRequest, wanted: 'r' | 'w' | 'any') {
    const { area, name } = request.params as { area: string; name: string };
    const address = { area: area as Area, name };
    const query = queryOf(request.url);
    const grant = await proven(address, query);
    if (!grant) throw grantRefused();
    if (wanted !== 'any' && !grant.permission.includes(wanted)) {
      throw forbidden('The address does not grant this.', { code: 'AuthorizationPermissionMismatch' });
    }
    return { address, query, grant };
  }

  async function proven({ area, name }: BlobAddress, query: URLSearchParams): Promise<ProvenGrant | undefined> {
    if (!AREAS.includes(area)) return undefined;
    const grant = await checkGrant(signer, { area, name }, query);
    if (!grant) return undefined;
    const counts = (await places[area].accepts?.(name, grant)) ?? grant.folder === undefined;
    return counts ? grant : undefined;
  }

  async function found({ area, name }: BlobAddress): Promise<{ blob: string; info: BlobInfo }> {
    const blob = await places[area].find(name);
    const info = blob === undefined ? undefined : await blobs.info(blob);
    if (blob === undefined || !info) throw new AppError('notFound', `Blob '${name}' was not found.`);
    return { blob, info };
  }

  app.head(PATH, STATE, async (request, reply) => {
    const { address, grant } = await granted(request, 'any');
    const { info } = await found(address);
    checkMatch(request, info);
    describe(reply, address, info, grant);
    return isKnown(request, info) ? reply.code(304).send() : reply.header('content-length', info.size).send();
  });

  app.get(PATH, READ, async (request, reply) => {
    const { address, grant } = await granted(request, 'r');
    const { blob, info } = await found(address);
    checkMatch(request, info);
    if (blobs.address && info.size >= redirectFrom && !speaksBlobs(request) && !isKnown(request, info)) {
      const shown = { contentType: grant.contentType ?? OCTETS, disposition: grant.disposition };
      const location = await blobs.address(blob, REDIRECT_SECONDS, shown);
      return reply.code(307).headers({ location, 'cache-control': 'no-store' }).send();
    }
    describe(reply, address, info, grant);
    if (isKnown(request, info)) return reply.code(304).send();
    const range = byteRange(rangeHeader(request, info), info.size);
    if (range === 'unsatisfiable') {
      throw new AppError('rangeNotSatisfiable', `The blob has ${info.size} bytes.`, {
        code: 'InvalidRange',
        headers: { 'content-range': `bytes */${info.size}` },
      });
    }
    if (range === 'whole') {
      return reply.header('content-length', info.size).send(await blobs.read(blob, undefined, info.etag));
    }
    const summed = request.headers['x-ms-range-get-content-md5'] === 'true';
    if (summed && range.end - range.start >= LARGEST_SUMMED)
      throw invalid(`A checksum is told of ranges of at most ${LARGEST_SUMMED} bytes.`, { code: 'OutOfRangeInput' });
    const bytes = await blobs.read(blob, range, info.etag);
    if (summed) {
      const { content, md5 } = await md5Of(bytes);
      reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${info.size}`);
      return reply.header('content-md5', md5).send(content);
    }
    return reply
      .code(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${info.size}`)
      .header('content-length', range.end - range.start + 1)
      .send(bytes);
  });

  app.put(PATH, WRITE, async (request, reply) => {
    const { address, query, grant } = await granted(request, 'w');
    const { area, name } = address;
    const { writing } = places[area];
    if (!writing) throw forbidden('Files are put to upload addresses and to datasets alone.');
    const blocks = `${area}/${name}`;
    const comp = query.get('comp');
    if (comp === 'block') {
      await writing.check(name);
      // a client that does not encode the id properly sends its + as a space
      const blockId = (query.get('blockid') ?? '').replaceAll(' ', '+');
      await blobs.putBlock(blocks, blockId, checkedBody(request.headers, bodyOf(request, maxSize)), maxSize);
      return reply.code(201).header('x-ms-request-server-encrypted', 'false').send();
    }
    const signal = hungUp(reply);
    const conditions = { ...writeConditions(request), grant };
    const source = request.headers['x-ms-copy-source'];
    let info: BlobInfo;
    if (comp === 'blocklist') {
      const ids = await readBlockList(checkedBody(request.headers, bodyOf(request, maxSize)));
      info = await writing.write(name, conditions, (target) =>
        blobs.commitBlocks(blocks, ids, maxSize, { target, signal }),
      );
    } else if (comp !== null) {
      throw invalid(`comp=${comp} is not offered.`, { code: 'UnsupportedQueryParameter' });
    } else if (source !== undefined) {
      const copied = await openSource(String(source), request.headers);
      info = await writing.write(name, conditions, (blob) => blobs.put(blob, copied, maxSize, signal));
      reply.code(202).headers({ 'x-ms-copy-id': randomUUID(), 'x-ms-copy-status': 'success' });
      return stamp(reply, info).send();
    } else {
      const body = checkedBody(request.headers, bodyOf(request, maxSize), 'x-ms-blob-content-md5');
      info = await writing.write(name, conditions, (blob) => blobs.put(blob, body, maxSize));
    }
    return stamp(reply.code(201), info).header('x-ms-request-server-encrypted', 'false').send();
  });

  app.delete(PATH, REMOVE, async (request, reply) => {
    const { address } = await granted(request, 'w');
    if (address.area !== 'staging') throw forbidden('Only uploads are deleted by their address.');
    if (request.headers['if-match'] !== undefined || request.headers['if-none-match'] !== undefined) {
      const { info } = await found(address);
      checkMatch(request, info);
      if (isKnown(request, info)) throw new AppError('preconditionFailed', `The blob's ETag is ${info.etag}.`);
    }
    await deleteStaged(db, blobs, address.name);
    return reply.code(202).send();
  });

  /** Bytes to copy: only from an address of ours that carries the right to read it, so that nothing is ever fetched for a client. */
  async function openSource(url: string, headers: IncomingHttpHeaders): Promise<AsyncIterable<Uint8Array>> {
    const code = 'CannotVerifyCopySource';
    const address = parseOwnAddress(url);
    if (!address) throw invalid('x-ms-copy-source is no address of this platform.', { code });
    const grant = await proven(address, queryOf(url));
    if (!grant?.permission.includes('r')) throw forbidden('x-ms-copy-source does not grant reading.', { code });
    const { blob, info } = await found(address);
    const { 'x-ms-source-if-match': same, 'x-ms-source-if-none-match': other } = headers;
    if ((same !== undefined && !listed(String(same), info.etag)) || listed(other as string | undefined, info.etag)) {
      const details = { code: 'SourceConditionNotMet' };
      throw new AppError('preconditionFailed', `The ETag of x-ms-copy-source is ${info.etag}.`, details);
    }
    return bytesOf(blobs, blob, info.etag);
  }
}

const queryOf = (url: string) => new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/** The body as it comes in; refused at once when its announced length is too much. */
function bodyOf(request: FastifyRequest, maxSize: number): AsyncIterable<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > maxSize) {
    throw new AppError('tooLarge', `At most ${maxSize} bytes are taken.`);
  }
  return (request.body as Readable | null | undefined) ?? request.raw;
}

/** Aborts when the client is gone before its answer: work that nobody waits for any more ends. */
function hungUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('The client has hung up.'));
  });
  return gone.signal;
}

function writeConditions(request: FastifyRequest): WriteConditions {
  const type = request.headers['x-ms-blob-type'];
  if (type !== undefined && type !== 'BlockBlob') {
    throw invalid(`x-ms-blob-type '${type}' is not offered.`, { code: 'InvalidHeaderValue' });
  }
  const etag = request.headers['if-match'];
  const onlyNew = request.headers['if-none-match']?.trim() === '*';
  if (etag === undefined) return { onlyNew };
  return etag.trim() === '*' ? { onlyNew, onlyThere: true } : { onlyNew, etag: etag.trim() };
}

function checkMatch(request: FastifyRequest, info: BlobInfo) {
  const wanted = request.headers['if-match'];
  if (wanted !== undefined && !listed(wanted, info.etag)) {
    throw new AppError('preconditionFailed', `The blob's ETag is ${info.etag}.`);
  }
}

/** `If-None-Match` names this state, also in the weak form that a proxy on the way may have made of it. */
const isKnown = (request: FastifyRequest, info: BlobInfo) =>
  listed(request.headers['if-none-match']?.replaceAll('W/"', '"'), info.etag);

const listed = (header: string | undefined, etag: string) =>
  (header ?? '').split(',').some((part) => ['*', etag].includes(part.trim()));

/** The range that is asked for, unless `If-Range` names another state of the blob. */
function rangeHeader(request: FastifyRequest, info: BlobInfo): string | undefined {
  const condition = request.headers['if-range'];
  if (typeof condition === 'string' && condition !== info.etag && condition !== info.lastModified.toUTCString()) {
    return undefined;
  }
  const blobRange = request.headers['x-ms-range'];
  return typeof blobRange === 'string' ? blobRange : request.headers.range;
}

/** Blob clients say so in every request, and follow no redirects. */
const speaksBlobs = ({ headers }: FastifyRequest) => Object.keys(headers).some((name) => name.startsWith('x-ms-'));

/** What every answer about a blob's state says. */
const stamp = (reply: FastifyReply, info: BlobInfo) =>
  reply
    .header('etag', info.etag)
    .header('last-modified', info.lastModified.toUTCString())
    .header('accept-ranges', 'bytes')
    .header('x-ms-blob-type', 'BlockBlob');

/** What is always said of a blob. Bytes of strangers are never shown as a page of ours. */
const describe = (
  reply: FastifyReply,
  { area }: BlobAddress,
  info: BlobInfo,
  grant: { disposition?: string; contentType?: string },
) =>
  stamp(reply, info)
    .header('cache-control', area === 'export' ? FOREVER : 'private, no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', 'sandbox')
    .header('content-type', grant.contentType ?? OCTETS)
    .headers(grant.disposition === undefined ? {} : { 'content-disposition': grant.disposition });
