import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCurrent } from '../cache/cached.ts';

const unzipped = promisify(gunzip);

/** Rights may end at any time: a client asks each time, and mostly gets 304. */
const ASKED_AGAIN = 'private, max-age=0, must-revalidate';

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
}

/** Sends bytes, gzipped if they are stored so and the client takes it. Both forms have strong ETags of their own. */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, gzip, type, version }: BytesAnswer,
): Promise<FastifyReply> {
  const zipped = gzip && acceptsGzip(request);
  const etag = strongEtag(bytes, version, zipped ? '-gz' : '');
  reply.headers({ etag, 'cache-control': ASKED_AGAIN });
  if (gzip) reply.header('vary', 'accept-encoding');
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (zipped) reply.header('content-encoding', 'gzip');
  const body = gzip && !zipped ? await unzipped(bytes) : bytes;
  return reply.type(type).send(Buffer.from(body.buffer, body.byteOffset, body.length));
}

interface TextAnswer {
  readonly text: string;
  readonly type: string;
  readonly version: string;
  readonly cache?: string;
}

/** Sends text with an ETag of its content. */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, type, version, cache = ASKED_AGAIN }: TextAnswer,
): FastifyReply {
  const etag = strongEtag(text, version);
  reply.headers({ etag, 'cache-control': cache });
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply
    .type(type)
    .serializer((body: string) => body)
    .send(text);
}
