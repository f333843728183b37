import got, { RequestError, TimeoutError } from 'got';
import type { Outbound } from '../platform/net/outbound.ts';
import { RefusedAddress } from '../platform/net/outbound.ts';
import { cloudEventOf } from './cloud-event.ts';
import type { Claimed } from './delivery.queries.ts';
import { signedHeaders } from './signature.ts';

/** Of an answer's body no more than this is read; it is thrown away. */
const MOST_BYTES = 65_536;
const LONGEST_SENTENCE = 300;

export interface AttemptOptions {
  outbound: Outbound;
  /** For all of it, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Attempted {
  delivered: boolean;
  status?: number;
  /** Why it was not delivered. */
  error?: string;
}

/** Sends an event to its webhook once, in structured mode and signed. Any 2xx is success; redirects are not followed. Never throws. */
export async function attempt(delivery: Claimed, { outbound, timeoutMs, signal }: AttemptOptions): Promise<Attempted> {
  const text = JSON.stringify(cloudEventOf(delivery));
  let status: number | undefined;
  try {
    const stream = got.stream.post(delivery.url, {
      ...outbound.options,
      body: text,
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': 'platform',
        ...signedHeaders(delivery.secret, delivery.id, text, Date.now()),
      },
      throwHttpErrors: false,
      followRedirect: false,
      decompress: false,
      retry: { limit: 0 },
      timeout: { request: timeoutMs },
      signal,
    });
    stream.once('response', (response: { statusCode: number }) => {
      status = response.statusCode;
    });
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST_BYTES) break;
    }
  } catch (error) {
    // an answer that breaks off behind its status is an answer
    if (status === undefined)
      return { delivered: false, error: sentenceOf(error, timeoutMs).slice(0, LONGEST_SENTENCE) };
  }
  if (status === undefined) return { delivered: false, error: 'The connection was closed before an answer came.' };
  if (status >= 200 && status < 300) return { delivered: true, status };
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { delivered: false, status, error: `The receiver answered ${status}${redirect}.` };
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer came.',
  EPIPE: 'The connection was closed before an answer came.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ENOTFOUND: 'The name of the host is unknown.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
};

function sentenceOf(error: unknown, timeoutMs: number): string {
  if (error instanceof TimeoutError) return `There was no answer within ${timeoutMs / 1000} s.`;
  if (!(error instanceof RequestError)) return 'The event could not be sent.';
  if (error.cause instanceof RefusedAddress) return error.cause.message;
  return SENTENCES[error.code] ?? `The event could not be sent: ${error.message}.`;
}
