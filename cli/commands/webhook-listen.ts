import { UsageError } from 'hydrofiles/terminal';
import type { CloudEvent } from '../../src/events/cloud-event.ts';
import { newSecret, readSecret, secretText, signedHeaders } from '../../src/events/signature.ts';
import { followStream } from '../event-stream.ts';
import { EVENTS, eventLine, longEventType } from '../events.ts';
import type { Io } from '../io.ts';

interface ListenOptions {
  to?: string;
  secretStdin?: boolean;
  type?: string[];
  after?: number;
  limit?: number;
}

/** As long as the platform waits for the answer of a receiver. */
const TIMEOUT_MS = 10_000;

/**
 * Prints the events that the caller may see, as a webhook would get them. With `to`, sends each one there, signed, in
 * order, and prints the answer; a failure is not retried, because the person who listens sees it.
 */
export async function listen(io: Io, { to, secretStdin, type, after, limit }: ListenOptions): Promise<void> {
  if (to !== undefined && !/^https?:$/.test(URL.parse(to)?.protocol ?? ''))
    throw new UsageError(`--to is '${to}'. It must be an http or https address.`);
  if (secretStdin && to === undefined)
    throw new UsageError('--secret-stdin needs --to: events are only signed for a receiver.');
  const secret = secretStdin ? readSecret(await io.stdin()) : newSecret();
  if (secret === undefined) throw new UsageError('stdin is not whsec_ followed by 24 to 64 bytes in base64.');
  if (to !== undefined && !secretStdin) io.note(`Secret of the signatures: ${secretText(secret)}`);
  const types = type?.map(longEventType);
  let received = 0;
  if (limit === 0) return;
  for await (const { id, data } of followStream(io.api, EVENTS, after === undefined ? undefined : String(after))) {
    const event = JSON.parse(data) as CloudEvent;
    // change events go only to webhooks that name their type
    if (types ? !types.includes(event.type) : event.data.Change !== undefined) continue;
    const answer = to === undefined ? undefined : await send(to, secret, event.id, data);
    if (io.json) io.out(answer ? JSON.stringify({ event, ...answer }) : data);
    else
      io.out(eventLine(id, event) + (answer ? `  ${answer.status ?? answer.error} in ${answer.milliseconds} ms` : ''));
    received++;
    if (received === limit) return;
  }
}

async function send(url: string, secret: Buffer, id: string, body: string) {
  const { default: got, RequestError } = await import('got');
  const started = performance.now();
  const milliseconds = () => Math.round(performance.now() - started);
  try {
    const { statusCode } = await got.post(url, {
      body,
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': 'platform',
        ...signedHeaders(secret, id, body, Date.now()),
      },
      throwHttpErrors: false,
      followRedirect: false,
      retry: { limit: 0 },
      timeout: { request: TIMEOUT_MS },
    });
    return { status: statusCode, milliseconds: milliseconds() };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { error: `no answer (${error.code})`, milliseconds: milliseconds() };
  }
}
