import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import fp from 'fastify-plugin';

export const requestId = (request: IncomingMessage | { headers: IncomingMessage['headers'] }): string =>
  requestIdFrom(request.headers['x-request-id']);

/** The client's `x-request-id` if it has 1 to 128 visible ASCII characters, else a new UUID. */
export const requestIdFrom = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();

/** Sends the request id, which logs contain, with every answer. */
export const requestIds = fp(async (app) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
});
