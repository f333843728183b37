import got, { RequestError, TimeoutError } from 'got';
import type { Sealer } from '../platform/keys/sealing.ts';
import { type Outbound, RefusedAddress } from '../platform/net/outbound.ts';
import { type EventRow, toCloudEvent } from './cloud-event.ts';
import { openSecret, signedHeaders } from './signature.ts';

/** Maximum of the response body that is read, only to discard it. */
const MAX_BYTES = 65_536;
const MAX_ERROR_LENGTH = 300;

export interface AttemptOptions {
  outbound: Outbound;
  sealer: Sealer;
  /** Limit for the whole request, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** An event, and the webhook to send it to. */
export interface Addressed extends EventRow {
  webhookId: string;
  url: string;
  sealedSecret?: Buffer | undefined;
  /** The secret in clear text, as processes of an older version stored it. */
  secret?: Buffer | undefined;
}

export interface AttemptResult {
  delivered: boolean;
  status?: number;
  /** Why the delivery failed. */
  error?: string;
}

/**
 * Sends a signed event to its webhook once, in structured mode of CloudEvents. Any 2xx is success; redirects are not
 * followed. Never throws. `deliver.ts` repeats failed attempts.
 */
export async function attempt(
  delivery: Addressed,
  { outbound, sealer, timeoutMs, signal }: AttemptOptions,
): Promise<AttemptResult> {
  const text = JSON.stringify(toCloudEvent(delivery));
  let status: number | undefined;
  try {
    const stream = got.stream.post(delivery.url, {
      ...outbound.options,
      body: text,
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': 'platform',
        ...signedHeaders(await unsealSecret(delivery, sealer), delivery.id, text, Date.now()),
      },
      throwHttpErrors: false,
      followRedirect: false,
      decompress: false,
      retry: { limit: 0 },
      timeout: { request: timeoutMs },
      ...(signal ? { signal } : {}),
    });
    stream.once('response', (response: { statusCode: number }) => {
      status = response.statusCode;
    });
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) break;
    }
  } catch (error) {
    // a response whose body breaks off still counts by its status
    if (status === undefined)
      return { delivered: false, error: errorText(error, timeoutMs).slice(0, MAX_ERROR_LENGTH) };
  }
  if (status === undefined) return { delivered: false, error: CLOSED };
  if (status >= 200 && status < 300) return { delivered: true, status };
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return { delivered: false, status, error: `The receiver answered ${status}${redirect}.` };
}

const unsealSecret = async ({ webhookId, sealedSecret, secret }: Addressed, sealer: Sealer): Promise<Buffer> =>
  sealedSecret === undefined ? secret! : openSecret(sealer, webhookId, sealedSecret);

const CLOSED = 'The receiver closed the connection without a response.';
const ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  EHOSTUNREACH: 'The host of the receiver is unreachable.',
  ENETUNREACH: 'The network of the receiver is unreachable.',
  ENOTFOUND: 'The host name of the receiver does not exist.',
  EAI_AGAIN: 'The host name of the receiver could not be resolved.',
};

function errorText(error: unknown, timeoutMs: number): string {
  if (error instanceof TimeoutError) return `The receiver did not respond within ${timeoutMs / 1000} s.`;
  if (!(error instanceof RequestError)) return 'The event could not be sent.';
  if (error.cause instanceof RefusedAddress) return error.cause.message;
  return ERROR_TEXTS[error.code] ?? `The event could not be sent: ${error.message}.`;
}
