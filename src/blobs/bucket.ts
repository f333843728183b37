import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { Agent, type Dispatcher, request as sendRequest } from 'undici';
import { AppError } from '../errors.ts';
import { decodeEntities, encodeEntities, texts } from './answer-xml.ts';

/** Address and credentials of a bucket. */
export interface BucketAddress {
  /** Scheme and host, without a trailing slash. */
  endpoint: string;
  bucket: string;
  /** Prefix of all keys: empty, or with a trailing slash. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Parses `s3://key:secret@host[:port]/bucket[/folder][?region=eu-north-1][&tls=false]`. The secret may be
 * percent-encoded, but need not be. Undefined if the URL is malformed; the URL contains a secret and must not appear in
 * errors.
 */
export function parseBucketAddress(url: string): BucketAddress | undefined {
  const found = /^s3:\/\/([^:/@?]+):(.+)@([^/@?]+)\/([\w.-]+)((?:\/[\w.~-]+)*)\/?(?:\?(.*))?$/.exec(url);
  if (!found) return undefined;
  const [, key = '', secret = '', host = '', bucket = '', folder = '', query] = found;
  const options = new URLSearchParams(query);
  const endpoint = `${options.get('tls') === 'false' ? 'http' : 'https'}://${host}`;
  if (!URL.canParse(endpoint)) return undefined;
  return {
    endpoint,
    bucket,
    prefix: folder === '' ? '' : `${folder.slice(1)}/`,
    region: options.get('region') ?? 'us-east-1',
    accessKeyId: decoded(key),
    secretAccessKey: decoded(secret),
  };
}

/** Decodes percent-encoding, if the text has any. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An error answer of the object store. */
export class BucketError extends Error {
  override readonly name = 'BucketError';
  readonly status: number;
  readonly code: string;
  constructor(request: string, status: number, code: string, message: string) {
    super(`${request}: ${status} ${code} ${message}`.trim());
    this.status = status;
    this.code = code;
  }
}

export interface StoredObject {
  key: string;
  size: number;
  lastModified: Date;
  /** Whether it was uploaded in parts: then AWS gives the beginning of the upload as `lastModified`. */
  inParts: boolean;
}

/** A byte range of an object in the same bucket, both ends included. The object must have this ETag. */
export interface CopiedRange {
  key: string;
  etag: string;
  start: number;
  end: number;
}

/** A multipart upload. */
export interface Parts {
  key: string;
  uploadId: string;
}

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

interface Request {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  signal?: AbortSignal;
  /**
   * A second request would have another answer than the first. So it is sent again only at 429 and 503, by which a
   * server refuses a request before it does anything.
   */
  once?: true;
  /** The server works long before it answers. */
  slow?: true;
}

/** Time limits in milliseconds. A request that passes one of them is not sent again: the error is `unavailable`. */
export interface BucketLimits {
  /** For a connection. */
  connect: number;
  /** Until the answer begins, when the request was sent. */
  firstByte: number;
  /** Between bytes of a body, sent or received; and until the answer of a request with a body. */
  progress: number;
}

const LIMITS: BucketLimits = { connect: 5000, firstByte: 15_000, progress: 30_000 };
/** For the answer to a request that copies or completes an object. */
const SLOW_MS = 300_000;
/** Bodies are passed on in pieces of this size, so that their progress is seen. */
const PIECE = 64 * 1024;

/** An answer. What is short was read, so that its connection is free. */
export interface BucketAnswer {
  status: number;
  ok: boolean;
  headers: { get(name: string): string | undefined };
  /** Of a successful download: read or destroy it. */
  body?: Readable;
  text(): Promise<string>;
}

export type Bucket = ReturnType<typeof openBucket>;

/**
 * How often a request is sent again whose connection broke before its answer. Servers close connections that were idle
 * for seconds.
 */
const MAX_RECONNECTS = 3;
const RECONNECT_MS = 100;
/** How often a request is sent again that the server could not answer, with pauses of up to 100, 200, … ms. */
const MAX_RETRIES = 5;
const RETRY_MS = 100;
/** Seconds after which clients may ask again when the server is silent. */
const RETRY_AFTER_S = 5;
/** Objects that are deleted at once on a server that deletes one a request. */
const REMOVALS = 8;

/**
 * A client for the S3 requests that blobs need, with path-style URLs for compatibility. Keys are without the prefix.
 */
export function openBucket(
  { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey }: BucketAddress,
  { connect, firstByte, progress }: BucketLimits = LIMITS,
) {
  const dispatcher = new Agent({ connect: { timeout: connect }, headersTimeout: firstByte, bodyTimeout: progress });
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });

  /** Sends a request, and again at 429 and 5xx; bodies are therefore bytes and not streams. */
  async function sendSigned(
    method: Method,
    url: string,
    { headers: given = {}, body, signal, once, slow }: Request,
  ): Promise<BucketAnswer> {
    const bytes = body === undefined ? undefined : Buffer.from(body as Uint8Array);
    const headersTimeout = slow ? SLOW_MS : bytes === undefined ? firstByte : Math.max(firstByte, progress);
    for (let tries = 0; ; tries++) {
      const { headers } = await client.sign(url, { method, headers: given, ...(body === undefined ? {} : { body }) });
      headers.set('content-length', String(bytes?.length ?? 0));
      if (bytes === undefined && (method === 'GET' || method === 'HEAD')) headers.delete('content-length');
      const answer = await sendRequest(url, {
        dispatcher,
        method,
        headers: Object.fromEntries(headers),
        headersTimeout,
        ...(bytes === undefined ? {} : { body: bytes.length <= PIECE ? bytes : Readable.from(piecesOf(bytes)) }),
        ...(signal && { signal }),
      }).catch((error) => {
        throw inTime(error, signal);
      });
      const isRetryable = answer.statusCode === 429 || answer.statusCode === 503 || (answer.statusCode >= 500 && !once);
      if (tries === MAX_RETRIES || !isRetryable) return readShort(method, answer, signal);
      await answer.body.dump().catch(() => {});
      const pause = Math.random() * RETRY_MS * 2 ** tries;
      await sleep(pause, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
    }
  }

  /** Sends a request. Throws `BucketError` unless the status is 2xx or one of `expected`. */
  async function send(method: Method, key: string | undefined, request: Request = {}, expected: number[] = []) {
    const url = new URL(`${endpoint}/${bucket}${key === undefined ? '' : `/${prefix}${key}`}`);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    const { signal, once = false } = request;
    signal?.throwIfAborted();
    const answer = await reconnecting(() => sendSigned(method, url.href, request), once ? 0 : MAX_RECONNECTS, signal);
    if (answer.ok || expected.includes(answer.status)) return answer;
    throw failure(`S3 ${method} ${key ?? bucket}`, answer.status, await answer.text());
  }

  /**
   * Copies an object. Returns the ETag. S3 answers 200 before the copy is complete, and reports a failure in the body.
   */
  async function sendCopy(from: string, to: string, { headers, ...request }: Request) {
    const source = { 'x-amz-copy-source': `/${bucket}/${prefix}${from}` };
    const answer = await send('PUT', to, { ...request, headers: { ...source, ...headers }, slow: true }, [404]);
    const text = await answer.text();
    const [etag] = texts(text, 'ETag');
    if (!answer.ok || etag === undefined) throw failure(`S3 copy ${from} to ${to}`, answer.status, text);
    return decodeEntities(etag);
  }

  const remove = (key: string) => send('DELETE', key, {}, [404]);
  let canRemoveMany = true;

  return {
    head: (key: string, signal?: AbortSignal) => send('HEAD', key, { ...(signal && { signal }) }, [404]),
    get: (key: string, headers: Record<string, string>, signal?: AbortSignal) =>
      send('GET', key, { headers, ...(signal && { signal }) }, [404, 412, 416]),
    put: (key: string, body: Uint8Array<ArrayBuffer>, signal?: AbortSignal) =>
      send('PUT', key, { body, ...(signal && { signal }) }),
    remove,

    /** Deletes up to 1000 objects in one request; one by one on a server that has no such request. */
    async removeMany(keys: readonly string[]): Promise<void> {
      if (keys.length > 1 && canRemoveMany) {
        const objects = keys.map((key) => `<Object><Key>${encodeEntities(prefix + key)}</Key></Object>`);
        const body = `<?xml version="1.0" encoding="UTF-8"?><Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`;
        const headers = { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') };
        const answer = await send('POST', undefined, { query: { delete: '' }, headers, body }, [400, 404, 405, 501]);
        const text = await answer.text();
        // what it could not delete is tried, and fails, one by one
        if (answer.ok && !text.includes('<Error>')) return;
        if (!answer.ok) canRemoveMany = false;
      }
      const left = keys.values();
      const removeSome = async () => {
        for (const key of left) await remove(key);
      };
      await Promise.all(Array.from({ length: Math.min(REMOVALS, keys.length) }, removeSome));
    },

    /**
     * Stores an object unless the key exists; then returns false. Servers without conditional PUT replace the object.
     */
    async create(key: string, body: Uint8Array<ArrayBuffer>): Promise<boolean> {
      const answer = await send('PUT', key, { body, headers: { 'if-none-match': '*' }, once: true }, [409, 412, 501]);
      if (answer.status !== 501) return answer.ok;
      await send('PUT', key, { body });
      return true;
    },

    /** A presigned URL to read an object. */
    async presign(key: string, seconds: number, query: Record<string, string>): Promise<string> {
      const url = new URL(`${endpoint}/${bucket}/${prefix}${key}`);
      url.search = new URLSearchParams({ ...query, 'X-Amz-Expires': String(seconds) }).toString();
      return (await client.sign(url.href, { method: 'GET', aws: { signQuery: true } })).url;
    },

    async startParts(key: string, signal?: AbortSignal): Promise<string> {
      const answer = await (await send('POST', key, { query: { uploads: '' }, ...(signal && { signal }) })).text();
      const [id] = texts(answer, 'UploadId');
      if (id === undefined) throw new BucketError(`S3 POST ${key}`, 200, 'NoUploadId', '');
      return id;
    },

    /** Returns the ETag of the part, for `finishParts`. */
    async putPart(
      { key, uploadId }: Parts,
      number: number,
      body: Uint8Array<ArrayBuffer>,
      signal?: AbortSignal,
    ): Promise<string> {
      const query = { partNumber: String(number), uploadId };
      const answer = await send('PUT', key, { query, body, ...(signal && { signal }) });
      return answer.headers.get('etag') ?? '';
    },

    /** Copies an object of up to 5 GiB. */
    copy: (from: string, to: string, etag: string, signal?: AbortSignal) =>
      sendCopy(from, to, { headers: { 'x-amz-copy-source-if-match': etag }, ...(signal && { signal }) }),

    /** `putPart` with a byte range of another object. */
    copyPart: ({ key, uploadId }: Parts, number: number, from: CopiedRange, signal?: AbortSignal) =>
      sendCopy(from.key, key, {
        query: { partNumber: String(number), uploadId },
        headers: {
          'x-amz-copy-source-if-match': from.etag,
          'x-amz-copy-source-range': `bytes=${from.start}-${from.end}`,
        },
        ...(signal && { signal }),
      }),

    /** An error does not tell that the object is incomplete: see `finishParts` of `finish-parts.ts`. */
    async finishParts({ key, uploadId }: Parts, etags: readonly string[], signal?: AbortSignal): Promise<void> {
      const parts = etags.map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
      const answer = await send('POST', key, {
        query: { uploadId },
        headers: { 'content-type': 'application/xml' },
        body,
        once: true,
        slow: true,
        ...(signal && { signal }),
      });
      // the status may have been sent before the upload was complete
      const text = await answer.text();
      if (text.includes('<Error>')) throw failure(`S3 POST ${key}`, 200, text);
    },

    abortParts: ({ key, uploadId }: Parts) => send('DELETE', key, { query: { uploadId } }, [404]),

    /** Uses ListObjects version 1, which every server supports. */
    async *list(keyPrefix: string): AsyncGenerator<StoredObject> {
      let marker = '';
      do {
        const answer = await (await send('GET', undefined, { query: { prefix: prefix + keyPrefix, marker } })).text();
        const more = texts(answer, 'IsTruncated')[0] === 'true';
        marker = '';
        for (const entry of texts(answer, 'Contents')) {
          const [name = '', size = '', time = '', etag = ''] = ['Key', 'Size', 'LastModified', 'ETag'].map(
            (part) => texts(entry, part)[0],
          );
          const key = decodeEntities(name);
          const inParts = /-\d+"?$/.test(decodeEntities(etag));
          yield { key: key.slice(prefix.length), size: Number(size), lastModified: new Date(time), inParts };
          if (more) marker = key;
        }
      } while (marker !== '');
    },

    /** Throws `BucketError` if the bucket does not exist or the key may not list it. */
    probe: (signal: AbortSignal) => send('GET', undefined, { query: { 'max-keys': '0' }, signal }),

    /** Unfinished multipart uploads, up to a thousand. Empty if the server cannot list them. */
    async listParts(): Promise<{ key: string; uploadId: string; begun: Date }[]> {
      const answer = await send('GET', undefined, { query: { uploads: '', prefix } }, [400, 405, 501]);
      const text = await answer.text();
      return texts(text, 'Upload').map((entry) => {
        const [key = '', uploadId = '', begun = ''] = ['Key', 'UploadId', 'Initiated'].map(
          (name) => texts(entry, name)[0],
        );
        return { key: decodeEntities(key).slice(prefix.length), uploadId, begun: new Date(begun) };
      });
    },
  };
}

/**
 * Sends a request, and sends it again if its connection broke. Throws the signal's reason once the signal is aborted.
 */
async function reconnecting(
  send: () => Promise<BucketAnswer>,
  times: number,
  signal?: AbortSignal,
): Promise<BucketAnswer> {
  for (let left = times, pause = RECONNECT_MS; ; left--, pause *= 2)
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      if (left === 0 || !isBrokenConnection(error)) throw error;
      await sleep(pause, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
    }
}

const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const TOO_LATE = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';
const isBrokenConnection = (error: unknown): boolean => BROKEN.includes(codeOf(error));

/** The error of a request; `unavailable` if it passed a time limit, and the reason of an aborted signal. */
function inTime(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (!TOO_LATE.includes(codeOf(error))) return error;
  return new AppError('unavailable', 'The blob store does not answer. Try again later.', { retryAfter: RETRY_AFTER_S });
}

function* piecesOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Leaves the body of a download to the caller, and reads others. */
async function readShort(
  method: Method,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  signal: AbortSignal | undefined,
): Promise<BucketAnswer> {
  const ok = status >= 200 && status < 300;
  const get = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  // a body that is destroyed before its end has an error, which is for nobody
  body.on('error', () => {});
  if (method === 'GET' && ok) return { status, ok, headers: { get }, body, text: () => body.text() };
  const text = await body.text().catch((error) => {
    throw inTime(error, signal);
  });
  return { status, ok, headers: { get }, text: async () => text };
}

function failure(request: string, status: number, body: string): BucketError {
  return new BucketError(request, status, texts(body, 'Code')[0] ?? '', texts(body, 'Message')[0] ?? '');
}
