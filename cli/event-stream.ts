import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainResponse } from 'got';
import { type Api, unreachable } from './client.ts';
import { Refused, Unreachable } from './errors.ts';
import { toError } from './refusal.ts';

const RECONNECT_AFTER_MS = 1000;
/** The server sends something every fifteen seconds. */
const SILENCE_MS = 40_000;

/** The server answered, but not with an event stream. */
export class NoStream extends Error {
  override readonly name = 'NoStream';
}

/** An event of a stream; `data` is unparsed. */
export interface StreamedEvent {
  id: string;
  data: string;
}

/**
 * Follows a stream of server-sent events without end: reconnects after a break, and continues after the last received
 * event. Throws if the first connection fails, or if the server refuses.
 */
export async function* followStream(api: Api, path: string, after: string | undefined): AsyncGenerator<StreamedEvent> {
  let lastId = after;
  for (let connected = false; ; ) {
    try {
      for await (const { id, data } of readStream(api, path, { lastId })) {
        connected = true;
        lastId = id;
        if (data !== undefined) yield { id, data };
      }
    } catch (error) {
      const temporary = error instanceof Unreachable || (error instanceof Refused && [429, 503].includes(error.status));
      if (!connected || !temporary) throw error;
    }
    await sleep(RECONNECT_AFTER_MS);
  }
}

/**
 * Reads a stream until it ends, breaks (`Unreachable`) or is aborted. An id without data is only a position to resume
 * from.
 */
export async function* readStream(
  api: Api,
  path: string,
  { lastId, signal }: { lastId?: string | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<{ id: string; data?: string }> {
  const { default: got } = await import('got');
  const stream = got.stream(`${api.url}${path}`, {
    headers: {
      accept: 'text/event-stream',
      'user-agent': 'platform',
      ...(await api.identity()),
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    timeout: { connect: 10_000, response: SILENCE_MS, socket: SILENCE_MS },
    ...(signal ? { signal } : {}),
  });
  try {
    const [response] = (await once(stream, 'response')) as [PlainResponse];
    if (response.statusCode !== 200) throw toError(response.statusCode, (await stream.toArray()).join(''), api.url);
    if (!response.headers['content-type']?.startsWith('text/event-stream'))
      throw new NoStream(`${api.url} does not stream ${path}.`);
    let id = lastId ?? '';
    let rest = '';
    for await (const text of stream.setEncoding('utf8') as AsyncIterable<string>) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        id = readMember(block, 'id') ?? id;
        const data = readMember(block, 'data');
        yield data === undefined ? { id } : { id, data };
      }
    }
  } catch (error) {
    throw unreachable(error, api.url);
  } finally {
    stream.destroy();
  }
}

const readMember = (block: string, name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
