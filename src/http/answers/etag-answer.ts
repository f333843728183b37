import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { isCurrent, setLifetime } from '../cache/cached.ts';
import { isSigned } from '../rules/signed-link.ts';
import { vary } from './vary.ts';

const unzipped = promisify(gunzip);
/**
 * Bytes: a tile that somebody stored may be made to become any number. A single feature may fill many, for all its
 * vertices.
 */
const mostUnpacked = 64 << 20;

/** Rights may end at any time: a client asks each time, and mostly gets 304. */
export const ASKED_AGAIN = 'private, max-age=0, must-revalidate';

/** A strong ETag of content and dataset version: the same for every caller. */
const strongEtag = (content: Uint8Array | string, version: string, variant = ''): string =>
  `"${hash('sha1', content, 'base64url').slice(0, 20)}-${version}${variant}"`;

const acceptsGzip = ({ headers }: FastifyRequest): boolean => {
  const accepted = String(headers['accept-encoding'] ?? '').split(',');
  return accepted.some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return ['gzip', 'x-gzip', '*'].includes(name) && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part));
  });
};

interface BytesAnswer {
  readonly bytes: Uint8Array;
  /** The bytes are gzipped. */
  readonly gzip: boolean;
  readonly type: string;
  readonly version: string;
  /** Default: clients ask each time. */
  readonly cacheControl?: string;
}

/** Sends bytes, gzipped if they are stored so and the client takes it. Both forms have strong ETags of their own. */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, gzip, type, version, cacheControl = ASKED_AGAIN }: BytesAnswer,
): Promise<FastifyReply> {
  const zipped = gzip && acceptsGzip(request);
  const etag = strongEtag(bytes, version, zipped ? '-gz' : '');
  reply.headers({ etag, 'cache-control': cacheControl });
  if (gzip) vary(reply, 'accept-encoding');
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (zipped) reply.header('content-encoding', 'gzip');
  const body = gzip && !zipped ? await unpacked(bytes) : bytes;
  return reply.type(type).send(Buffer.from(body.buffer, body.byteOffset, body.length));
}

/** @throws AppError `unprocessable` for more bytes than they may be, or for damaged ones */
async function unpacked(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await unzipped(bytes, { maxOutputLength: mostUnpacked });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ERR_BUFFER_TOO_LARGE' ? `has more than ${mostUnpacked} bytes` : 'is damaged';
    throw new AppError('unprocessable', `What is stored here ${why} and cannot be unpacked.`);
  }
}

interface TextAnswer {
  readonly text: string;
  readonly type: string;
  readonly version: string;
  /** ms for which clients may keep it. Default: they ask each time. */
  readonly lifetime?: number;
}

/** Sends text with an ETag of its content. */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, type, version, lifetime }: TextAnswer,
): FastifyReply {
  const etag = strongEtag(text, version);
  reply.header('etag', etag);
  if (lifetime === undefined) reply.header('cache-control', ASKED_AGAIN);
  else setLifetime(reply, isSigned(request) ? undefined : lifetime);
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply
    .type(type)
    .serializer((body: string) => body)
    .send(text);
}
