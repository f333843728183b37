import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fp from 'fastify-plugin';

/** Of a body that is not needed any more: bytes and time for which it is still read. */
const MAX_BYTES = 64 * 2 ** 20;
const MAX_MS = 10_000;

/**
 * Lets clients read answers that are sent before their bodies have arrived, such as 413 and 503. Many clients read no
 * answer before they have sent all, and a connection that is closed with bytes unread loses its answer. So the answer
 * is sent at once, but its end waits until the body was read, up to a bound; then the connection is closed.
 */
export const earlyAnswers = fp(async (app) => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    const isEarly = reply.statusCode >= 300 && hasBody(raw) && !raw.complete && !raw.destroyed;
    if (!isEarly || typeof payload !== 'string' || request.method === 'HEAD') return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(beforeEndOf(raw, Buffer.from(payload)), { objectMode: false }));
  });
});

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

async function* beforeEndOf(body: IncomingMessage, answer: Buffer) {
  yield answer;
  if (!(await drained(body))) body.destroy();
}

/** Reads a body and forgets it. Returns whether it ended within the bounds. */
function drained(body: IncomingMessage): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let bytes = 0;
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) resolve(false);
  };
  const timer = setTimeout(() => resolve(false), MAX_MS);
  body.on('data', count);
  body.once('end', () => resolve(true)).once('close', () => resolve(true));
  if (body.readableEnded || body.destroyed) resolve(true);
  body.resume();
  return promise.finally(() => {
    clearTimeout(timer);
    body.off('data', count);
  });
}

/** The bytes of a body. A reader that stops before the end leaves the connection open for the answer. */
export async function* bytesOfBody(body: Readable): AsyncGenerator<Uint8Array> {
  yield* body.iterator({ destroyOnReturn: false });
}
