import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { PlainResponse, Request } from 'got';
import got, { RequestError, TimeoutError } from 'got';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../platform/net/outbound.ts';
import { RefusedAddress } from '../../platform/net/outbound.ts';
import { credentialsOf } from './sources.ts';

/** A connection that came to nothing before all had come; another one may do better at once. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export interface Asking {
  outbound: Outbound;
  /** Milliseconds without a byte. */
  idleMs: number;
  signal: AbortSignal;
  /** Only what comes behind these bytes, if the file is still the one of the validator. */
  from?: { bytes: number; validator: string };
}

/** What a server sends: the file (200) or, where that was asked for, the rest of it (206, with `range`). */
export interface Answer {
  stream: Request;
  /** Who sends, after all redirects. */
  host: string;
  encoding: string;
  /** Bytes of this answer, as they are encoded. */
  length?: number;
  range?: { start: number; size?: number };
  /** A strong ETag, or a date that is as good; something that `If-Range` takes. */
  validator?: string;
}

const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Refusals of this moment; all others of 4xx stay as they are. */
const PASSING = [408, 425, 429];
const LONGEST_CONNECT_MS = 30_000;

/**
 * Asks for a file, wherever it is redirected to: each hop is judged, and user and password go to no other origin than the one they were
 * given for, and never from https to http. Throws `Broken`, or an `AppError` as `fetchRemote` says.
 */
export async function ask(source: URL, asking: Asking): Promise<Answer> {
  let target = source;
  let credentials = credentialsOf(source) ?? '';
  for (let hops = 0; ; hops++) {
    const { stream, response } = await call(target, credentials, asking);
    const status = response.statusCode;
    if (!REDIRECTS.includes(status)) {
      try {
        return answerOf(stream, response, target.host, asking);
      } catch (error) {
        stream.destroy();
        throw error;
      }
    }
    stream.destroy();
    if (hops === MOST_REDIRECTS) throw hopeless(`${source.host} redirects more than ${MOST_REDIRECTS} times.`);
    const next = redirected(target, response.headers.location, asking.outbound);
    if (credentials !== '' && target.protocol === 'https:' && next.protocol === 'http:')
      throw hopeless(`${target.host} redirects from https to http, which would show user and password to everybody.`);
    if (next.origin !== target.origin) credentials = '';
    target = next;
  }
}

async function call(target: URL, credentials: string, { outbound, idleMs, signal, from }: Asking) {
  const url = new URL(target);
  url.username = '';
  url.password = '';
  const connecting = Math.min(idleMs, LONGEST_CONNECT_MS);
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
  // one that comes when nobody reads any more
  stream.on('error', () => {});
  try {
    const [response] = (await once(stream, 'response')) as [PlainResponse];
    return { stream, response };
  } catch (error) {
    throw broken(error, target.host, from?.bytes ?? 0);
  }
}

function redirected(from: URL, location: string | undefined, outbound: Outbound): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw hopeless(`${from.host} redirects to something that is no address.`);
  const next = new URL(location, from);
  try {
    outbound.check(next.href, 'uploadUrl');
  } catch (error) {
    if (error instanceof AppError) throw hopeless(`${from.host} redirects to what is not fetched: ${error.message}`);
    throw error;
  }
  next.username = '';
  next.password = '';
  return next;
}

function answerOf(stream: Request, { statusCode, headers }: PlainResponse, host: string, { from }: Asking): Answer {
  const told = `${host} answered ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd();
  if (PASSING.includes(statusCode) || statusCode >= 500)
    throw new AppError('unavailable', `${told}.`, retryAfterOf(headers['retry-after']));
  if (statusCode === 416 && from !== undefined) throw new Broken(`${host} no longer has byte ${from.bytes}.`);
  const range = statusCode === 206 && from !== undefined ? rangeOf(headers['content-range']) : undefined;
  if (statusCode !== 200 && range === undefined) throw hopeless(`${told} instead of the file.`);
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

/** `bytes 100-199/200`, the size may be `*`. */
function rangeOf(text = ''): Answer['range'] {
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(text) ?? [];
  if (start === undefined) return undefined;
  return { start: Number(start), ...(size === '*' ? {} : { size: Number(size) }) };
}

/** A date counts when the file had been left alone for a minute: within a second it could have changed twice. */
function validatorOf({ etag, date, 'last-modified': modified }: IncomingHttpHeaders): string | undefined {
  if (etag?.startsWith('"')) return etag;
  return Date.parse(date ?? '') - Date.parse(modified ?? '') >= 60_000 ? modified : undefined;
}

/** Seconds, or a date. */
function retryAfterOf(text = ''): { retryAfter?: number } {
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

/** For what a server compressed on its way although it was asked not to. Undefined: the bytes are those of the file. */
export function decoderOf({ encoding, host }: Answer): Transform | undefined {
  if (encoding === '' || encoding === 'identity') return undefined;
  const decoder = DECODERS[encoding];
  if (decoder) return decoder();
  throw hopeless(`${host} sends the file encoded as '${encoding.slice(0, 40)}', which is not understood.`);
}

const hopeless = (sentence: string) => new AppError('unprocessable', sentence);
const later = (sentence: string) => new AppError('unavailable', sentence);

/** Nobody there: at least for some seconds. */
const AWAY: Record<string, string> = {
  ENOTFOUND: 'could not be looked up',
  EAI_AGAIN: 'could not be looked up',
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
};
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

/** What a connection ended with, in our own words: got's errors carry the address and the headers. */
export function broken(error: unknown, host: string, bytes: number): unknown {
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
  if (/^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ZSTD_)/.test(code)) return new Broken(`${host} sent what cannot be unpacked.`);
  if (!(error instanceof RequestError)) return error;
  if (error.cause instanceof RefusedAddress) return hopeless(error.cause.message);
  if (code in AWAY) return later(`${host} ${AWAY[code]}.`);
  if (UNTRUSTED.test(code)) return hopeless(`The certificate of ${host} cannot be trusted (${code}).`);
  if (error instanceof TimeoutError) return new Broken(`${host} was silent for too long at byte ${bytes}.`);
  return new Broken(`The connection to ${host} broke at byte ${bytes}${/^E[A-Z_]+$/.test(code) ? ` (${code})` : ''}.`);
}
