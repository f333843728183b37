import { once } from 'node:events';
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import got, { type PlainResponse, type Request, RequestError, TimeoutError } from 'got';
import { AppError } from '../../errors.ts';
import { type Outbound, RefusedAddress } from '../../platform/net/outbound.ts';
import { basicAuthorization } from './sources.ts';

/** A connection that broke before the whole file had arrived. An immediate retry may succeed. */
export class ConnectionBroken extends Error {
  override readonly name = 'ConnectionBroken';
}

export interface RemoteRequest {
  outbound: Outbound;
  /** Milliseconds without a byte. */
  idleMs: number;
  signal: AbortSignal;
  /** Requests only the bytes from this offset (`If-Range`), if the file still matches the validator. */
  from?: { bytes: number; validator: string };
}

/** The response of a server: the whole file (200) or the requested rest of it (206, with `range`). */
export interface RemoteResponse {
  stream: Request;
  /** The host after all redirects. */
  host: string;
  encoding: string;
  /** `Content-Length`: bytes of this response before decoding. */
  length?: number;
  range?: { start: number; size?: number };
  /** For `If-Range`: a strong ETag, or a date that is as reliable. */
  validator?: string;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Client errors that a later retry may cure; all other 4xx are permanent. */
const RETRYABLE = [408, 425, 429];
const MAX_CONNECT_MS = 30_000;

/**
 * Requests a file and follows redirects. Checks each target, sends user and password only to their own origin, and does
 * not follow from https to http with them. Throws `ConnectionBroken`, or an `AppError` (see `fetchRemote`).
 */
export async function requestFile(source: URL, request: RemoteRequest): Promise<RemoteResponse> {
  let target = source;
  let credentials = basicAuthorization(source) ?? '';
  for (let hops = 0; ; hops++) {
    const { stream, response } = await call(target, credentials, request);
    const status = response.statusCode;
    if (!REDIRECTS.includes(status)) {
      try {
        return readResponse(stream, response, target.host, request);
      } catch (error) {
        stream.destroy();
        throw error;
      }
    }
    stream.destroy();
    if (hops === MAX_REDIRECTS) throw permanent(`${source.host} redirects more than ${MAX_REDIRECTS} times.`);
    const next = redirected(target, response.headers.location, request.outbound);
    if (credentials !== '' && target.protocol === 'https:' && next.protocol === 'http:')
      throw permanent(`${target.host} redirects from https to http, which would send user and password unencrypted.`);
    if (next.origin !== target.origin) credentials = '';
    target = next;
  }
}

async function call(target: URL, credentials: string, { outbound, idleMs, signal, from }: RemoteRequest) {
  const url = new URL(target);
  url.username = '';
  url.password = '';
  const connecting = Math.min(idleMs, MAX_CONNECT_MS);
  const stream = got.stream(url, {
    ...outbound.options,
    headers: {
      'user-agent': 'platform',
      'accept-encoding': 'identity',
      ...(credentials === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      ...(from === undefined ? {} : { range: `bytes=${from.bytes}-`, 'if-range': from.validator }),
    },
    throwHttpErrors: false,
    followRedirect: false,
    decompress: false,
    retry: { limit: 0 },
    timeout: {
      lookup: connecting,
      connect: connecting,
      secureConnect: connecting,
      response: idleMs,
      socket: idleMs,
    },
    signal,
  });
  // errors after the last reader has gone must not crash the process
  stream.on('error', () => {});
  try {
    const [response] = (await once(stream, 'response')) as [PlainResponse];
    return { stream, response };
  } catch (error) {
    throw connectionError(error, target.host, from?.bytes ?? 0);
  }
}

function redirected(from: URL, location: string | undefined, outbound: Outbound): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw permanent(`${from.host} redirects to an invalid address.`);
  const next = new URL(location, from);
  try {
    outbound.check(next.href, 'uploadUrl');
  } catch (error) {
    if (error instanceof AppError)
      throw permanent(`${from.host} redirects to an address that is not allowed: ${error.message}`);
    throw error;
  }
  next.username = '';
  next.password = '';
  return next;
}

function readResponse(
  stream: Request,
  { statusCode, headers }: PlainResponse,
  host: string,
  { from }: RemoteRequest,
): RemoteResponse {
  const answered = `${host} answered ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd();
  if (RETRYABLE.includes(statusCode) || statusCode >= 500)
    throw new AppError('unavailable', `${answered}.`, parseRetryAfter(headers['retry-after']));
  if (statusCode === 416 && from !== undefined) throw new ConnectionBroken(`${host} no longer has byte ${from.bytes}.`);
  const range = statusCode === 206 && from !== undefined ? parseContentRange(headers['content-range']) : undefined;
  if (statusCode !== 200 && range === undefined) throw permanent(`${answered} instead of the file.`);
  const length = /^\d+$/.test(headers['content-length'] ?? '') ? Number(headers['content-length']) : undefined;
  const validator = validatorOf(headers);
  return {
    stream,
    host,
    encoding: (headers['content-encoding'] ?? '').trim().toLowerCase(),
    ...(length === undefined ? {} : { length }),
    ...(range === undefined ? {} : { range }),
    ...(validator === undefined ? {} : { validator }),
  };
}

/** Parses `Content-Range`, such as `bytes 100-199/200`; the size may be `*`. */
function parseContentRange(text = ''): RemoteResponse['range'] {
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(text) ?? [];
  if (start === undefined) return undefined;
  return { start: Number(start), ...(size === '*' ? {} : { size: Number(size) }) };
}

/**
 * A date is reliable if the file is older than a minute: within its resolution of a second the file could change twice.
 */
function validatorOf({ etag, date, 'last-modified': modified }: IncomingHttpHeaders): string | undefined {
  if (etag?.startsWith('"')) return etag;
  return Date.parse(date ?? '') - Date.parse(modified ?? '') >= 60_000 ? modified : undefined;
}

/** Parses `Retry-After`: seconds or a date. */
function parseRetryAfter(text = ''): { retryAfter?: number } {
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? { retryAfter: seconds } : {};
}

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Decoder for a response that the server compressed despite `Accept-Encoding: identity`. Undefined: not compressed. */
export function makeDecoder({ encoding, host }: RemoteResponse): Transform | undefined {
  if (encoding === '' || encoding === 'identity') return undefined;
  const decoder = DECODERS[encoding];
  if (decoder) return decoder();
  throw permanent(
    `${host} sends the file with the content encoding '${encoding.slice(0, 40)}', which is not supported.`,
  );
}

const permanent = (sentence: string) => new AppError('unprocessable', sentence);
const temporary = (sentence: string) => new AppError('unavailable', sentence);

/** Errors of an unreachable host; a retry after some seconds may succeed. */
const UNREACHABLE: Record<string, string> = {
  ENOTFOUND: 'could not be looked up',
  EAI_AGAIN: 'could not be looked up',
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
};
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

/** Translates an error of got. Its own message must not be shown, because it may contain the address and headers. */
export function connectionError(error: unknown, host: string, bytes: number): unknown {
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
  if (/^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ZSTD_)/.test(code))
    return new ConnectionBroken(`The response of ${host} cannot be decompressed.`);
  if (!(error instanceof RequestError)) return error;
  if (error.cause instanceof RefusedAddress) return permanent(error.cause.message);
  if (code in UNREACHABLE) return temporary(`${host} ${UNREACHABLE[code]}.`);
  if (UNTRUSTED.test(code)) return permanent(`The certificate of ${host} cannot be trusted (${code}).`);
  if (error instanceof TimeoutError) return new ConnectionBroken(`${host} sent nothing for too long at byte ${bytes}.`);
  return new ConnectionBroken(
    `The connection to ${host} broke at byte ${bytes}${/^E[A-Z_]+$/.test(code) ? ` (${code})` : ''}.`,
  );
}
