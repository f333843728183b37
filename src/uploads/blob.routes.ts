import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Area, type BlobInfo, MissingBlock } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import { clientLeft } from '../http/answers/client-left.ts';
import { bytesOfBody } from '../http/answers/early-answer.ts';
import type { App } from '../http/route.ts';
import { BlobAccess, type BlobAccessParts } from './blob-access.ts';
import { BLOB_READ, BLOB_REMOVE, BLOB_STATE, BLOB_WRITE } from './blob-description.ts';
import { blockListXml, markOf, readBlockList } from './block-list.ts';
import { checkedBody } from './checked-body.ts';
import { checkMatch, checkVersion, etagMismatch, isKnown, writeConditions } from './conditions.ts';
import { CACHE_CONTROL, OCTET_STREAM, sendBlob, setBlobHeaders, setStateHeaders } from './send-blob.ts';
import { deleteStaged } from './staged.ts';

export interface BlobRoutes extends BlobAccessParts {
  db: Database;
  /**
   * Setting `uploads.maxSize`: maximum size of an upload in bytes. Checked by `Content-Length` here and, while bytes
   * arrive, by the blob store.
   */
  maxSize: number;
  /** Size in bytes from which downloads of clients without the blob protocol are redirected to the object store. */
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
/** Lifetime of a redirect to the object store, in which a download must start. It cannot be revoked. */
const REDIRECT_SECONDS = 60;
const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'] as const;
const PATH = '/api/blob/:area/:name';
const options = (operationId: string, summary: string, described: Record<string, unknown>) =>
  ({
    config: { access: 'public', service: 'none', limit: 'blobs', described },
    schema: { operationId, summary },
  }) as const;
const STATE = options('inspectBlob', 'Returns size and state of a blob', BLOB_STATE);
const READ = options('getBlob', 'Downloads a blob or a range of it', BLOB_READ);
const writeUpTo = (maxSize: number) =>
  options('replaceBlob', 'Writes a blob, a block, or a block list', { ...BLOB_WRITE, 'x-max-body-bytes': maxSize });
const REMOVE = options('deleteBlob', 'Deletes an uploaded blob', BLOB_REMOVE);

/**
 * Blob addresses, with the protocol of widely used blob-storage clients. The query of the address is the grant, so
 * there is no caller. Bodies are streams of any content type. Errors have their code in the header `x-ms-error-code`,
 * in addition to the problem body.
 */
export async function blobRoutes(app: App, { db, maxSize, redirectFrom = Infinity, ...parts }: BlobRoutes) {
  const { blobs, places } = parts;
  const access = new BlobAccess(parts);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, _request, reply) => {
    const known = error instanceof AppError ? (error.details.code ?? CODES[error.kind]) : undefined;
    reply.headers({ 'x-ms-error-code': known ?? 'InternalError', 'cache-control': CACHE_CONTROL });
    throw error;
  });

  app.head(PATH, STATE, async (request, reply) => {
    const { address, grant, query } = await access.requireGrant(request, 'any');
    const { info } = await access.find(address);
    checkVersion(query, info);
    checkMatch(request, info);
    setBlobHeaders(reply, info, grant);
    return isKnown(request, info) ? reply.code(304).send() : reply.header('content-length', info.size).send();
  });

  app.get(PATH, READ, async (request, reply) => {
    if ((request.query as { comp?: unknown }).comp === 'blocklist') return sendBlockList(request, reply);
    const { address, grant, query } = await access.requireGrant(request, 'r');
    const { blob, info } = await access.find(address);
    checkVersion(query, info);
    checkMatch(request, info);
    if (blobs.address && info.size >= redirectFrom && !isBlobClient(request) && !isKnown(request, info)) {
      const shown = { contentType: grant.contentType ?? OCTET_STREAM, disposition: grant.disposition };
      const location = await blobs.address(blob, REDIRECT_SECONDS, shown);
      return reply.code(307).headers({ location, 'cache-control': 'no-store' }).send();
    }
    return sendBlob(request, reply, { blobs, blob, info, shown: grant });
  });

  /** What an interrupted upload has sent already. */
  async function sendBlockList(request: FastifyRequest, reply: FastifyReply) {
    const { address, query } = await access.requireGrant(request, 'w');
    const { area, name } = address;
    const { writing, find } = places[area];
    if (!writing) throw readOnly(area);
    const list = blockListXml(blobs.blocks(`${area}/${name}`), query.get('blocklisttype'));
    const blob = await find(name);
    const info = blob === undefined ? undefined : await blobs.info(blob);
    if (info) setStateHeaders(reply, info).header('x-ms-blob-content-length', info.size);
    // there is no content yet: the place may be gone
    else await writing.check(name);
    return reply
      .headers({ 'content-type': 'application/xml', 'cache-control': CACHE_CONTROL })
      .send(Readable.from(list));
  }

  app.put(PATH, writeUpTo(maxSize), async (request, reply) => {
    const { address, query, grant } = await access.requireGrant(request, 'w');
    const { area, name } = address;
    const { writing } = places[area];
    if (!writing) throw readOnly(area);
    const blocks = `${area}/${name}`;
    const comp = query.get('comp');
    if (comp === 'block') {
      await writing.check(name);
      // clients that do not encode the id properly send its + as a space
      const blockId = (query.get('blockid') ?? '').replaceAll(' ', '+');
      await blobs.putBlock(blocks, blockId, checkedBody(request.headers, readBody(request, maxSize)), maxSize);
      await writing.blockWritten?.(name);
      return reply.code(201).header('x-ms-request-server-encrypted', 'false').send();
    }
    const signal = clientLeft(reply);
    const conditions = { ...writeConditions(request), ...(await access.unmodified(request, address)), grant };
    const source = request.headers['x-ms-copy-source'];
    let info: BlobInfo;
    if (comp === 'blocklist') {
      const ids = await readBlockList(checkedBody(request.headers, readBody(request, maxSize)));
      const mark = markOf(ids);
      let before: Date | undefined;
      try {
        info = await writing.write(name, { ...conditions, mark }, (target) =>
          blobs.commitBlocks(blocks, ids, maxSize, { target, signal }),
        );
      } catch (error) {
        const known = error instanceof MissingBlock ? await access.committed(address, mark, error) : undefined;
        if (known === undefined) throw error;
        info = known;
        // newer blocks are for another list
        before = known.lastModified;
      }
      // not before the database names the blob: else a client that tries again would have lost its blocks
      await blobs.removeBlocks(blocks, before).catch((err: unknown) => {
        request.log.warn({ err }, 'the blocks of a committed list were not deleted; they are swept later');
      });
    } else if (comp !== null) {
      throw invalid(`comp=${comp} is not supported. Use block or blocklist.`, { code: 'UnsupportedQueryParameter' });
    } else if (source !== undefined) {
      const copied = await access.openSource(String(source), request.headers);
      info = await writing.write(name, conditions, (blob) => blobs.put(blob, copied, maxSize, signal));
      reply.code(202).headers({ 'x-ms-copy-id': randomUUID(), 'x-ms-copy-status': 'success' });
      return setStateHeaders(reply, info).send();
    } else {
      const body = checkedBody(request.headers, readBody(request, maxSize), 'x-ms-blob-content-md5');
      info = await writing.write(name, conditions, (blob) => blobs.put(blob, body, maxSize));
    }
    return setStateHeaders(reply.code(201), info).header('x-ms-request-server-encrypted', 'false').send();
  });

  app.delete(PATH, REMOVE, async (request, reply) => {
    const { address } = await access.requireGrant(request, 'w');
    if (address.area !== 'staging')
      throw forbidden(
        `Blobs of the area '${address.area}' cannot be deleted by their address. Delete the dataset instead.`,
      );
    if (CONDITIONS.some((name) => request.headers[name] !== undefined)) {
      const { info } = await access.find(address);
      checkMatch(request, info);
      if (isKnown(request, info)) throw etagMismatch(info);
    }
    await deleteStaged(db, blobs, address.name);
    return reply.code(202).send();
  });
}

const readOnly = (area: Area) => forbidden(`The area '${area}' is read-only. Write to upload addresses or datasets.`);

/** The request body as a stream. Throws `tooLarge` at once if `Content-Length` exceeds the maximum. */
function readBody(request: FastifyRequest, maxSize: number): AsyncIterable<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > maxSize) {
    throw new AppError(
      'tooLarge',
      `The body has ${request.headers['content-length']} bytes; the maximum is ${maxSize}.`,
    );
  }
  return bytesOfBody((request.body as Readable | null | undefined) ?? request.raw);
}

/** Blob clients send `x-ms-` headers in every request, and do not follow redirects. */
const isBlobClient = ({ headers }: FastifyRequest) => Object.keys(headers).some((name) => name.startsWith('x-ms-'));
