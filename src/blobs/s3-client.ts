import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { Agent, type Dispatcher, request as sendRequest } from 'undici';
import { AppError } from '../errors.ts';
import { texts } from './answer-xml.ts';
import type { BucketAddress } from './bucket-address.ts';

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

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

export interface Request {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  signal?: AbortSignal;
  /**
   * A second request would have another answer than the first. So it is sent again only at 429 and 503, by which a
   * server refuses a request before it does anything.
   */
  once?: true;
  /** The server may work long before it answers. */
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
  /** Body of a successful download. The caller must read or destroy it. */
  body?: Readable;
  text(): Promise<string>;
}

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
/** Sends signed requests to a bucket, with path-style URLs for compatibility. Keys are without the prefix. */
export class S3Client {
  readonly #address: BucketAddress;
  readonly #limits: BucketLimits;
  readonly #dispatcher: Agent;
  readonly #signer: AwsClient;

  constructor(address: BucketAddress, limits: BucketLimits = LIMITS) {
    const { accessKeyId, secretAccessKey, region } = address;
    const { connect, firstByte, progress } = limits;
    this.#address = address;
    this.#limits = limits;
    this.#dispatcher = new Agent({ connect: { timeout: connect }, headersTimeout: firstByte, bodyTimeout: progress });
    this.#signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
  }

  #urlOf(key: string | undefined): URL {
    const { endpoint, bucket, prefix } = this.#address;
    return new URL(`${endpoint}/${bucket}${key === undefined ? '' : `/${prefix}${key}`}`);
  }

  /** Sends a request, and again at 429 and 5xx; bodies are therefore bytes and not streams. */
  async #sendSigned(
    method: Method,
    url: string,
    { headers: given = {}, body, signal, once, slow }: Request,
  ): Promise<BucketAnswer> {
    const bytes = body === undefined ? undefined : Buffer.from(body as Uint8Array);
    const { firstByte, progress } = this.#limits;
    const headersTimeout = slow ? SLOW_MS : bytes === undefined ? firstByte : Math.max(firstByte, progress);
    for (let tries = 0; ; tries++) {
      const { headers } = await this.#signer.sign(url, {
        method,
        headers: given,
        ...(body === undefined ? {} : { body }),
      });
      headers.set('content-length', String(bytes?.length ?? 0));
      if (bytes === undefined && (method === 'GET' || method === 'HEAD')) headers.delete('content-length');
      const answer = await sendRequest(url, {
        dispatcher: this.#dispatcher,
        method,
        headers: Object.fromEntries(headers),
        headersTimeout,
        ...(bytes === undefined ? {} : { body: bytes.length <= PIECE ? bytes : Readable.from(splitBytes(bytes)) }),
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
  async send(method: Method, key: string | undefined, request: Request = {}, expected: readonly number[] = []) {
    const url = this.#urlOf(key);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    const { signal, once = false } = request;
    signal?.throwIfAborted();
    const answer = await reconnecting(
      () => this.#sendSigned(method, url.href, request),
      once ? 0 : MAX_RECONNECTS,
      signal,
    );
    if (answer.ok || expected.includes(answer.status)) return answer;
    throw failure(`S3 ${method} ${key ?? this.#address.bucket}`, answer.status, await answer.text());
  }

  /** A presigned URL to read an object. */
  async presign(key: string, seconds: number, query: Record<string, string>): Promise<string> {
    const url = this.#urlOf(key);
    url.search = new URLSearchParams({ ...query, 'X-Amz-Expires': String(seconds) }).toString();
    return (await this.#signer.sign(url.href, { method: 'GET', aws: { signQuery: true } })).url;
  }
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

const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';
const isBrokenConnection = (error: unknown): boolean => BROKEN.includes(errorCode(error));

/** The error of a request; `unavailable` if it passed a time limit, and the reason of an aborted signal. */
function inTime(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (!TOO_LATE.includes(errorCode(error))) return error;
  return new AppError('unavailable', 'The blob store does not answer. Try again later.', { retryAfter: RETRY_AFTER_S });
}

function* splitBytes(bytes: Buffer) {
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

/** The error that an answer of the store describes. */
export function failure(request: string, status: number, body: string): BucketError {
  return new BucketError(request, status, texts(body, 'Code')[0] ?? '', texts(body, 'Message')[0] ?? '');
}
