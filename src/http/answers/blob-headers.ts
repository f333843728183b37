import fp from 'fastify-plugin';

/** Version of the blob protocol in answers to clients that name none. */
const VERSION = '2021-08-06';

/**
 * Sets the header fields of all answers below `/api/blob/`, also of errors. Register it before all rules
 * that can refuse.
 */
export const blobHeaders = fp(async (app) => {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/api/blob/')) return done();
    const { 'x-ms-version': version, 'x-ms-client-request-id': clientId } = request.headers;
    reply.headers({
      'x-ms-request-id': request.id,
      'x-ms-version': typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) ? version : VERSION,
      'cache-control': 'private, no-cache',
    });
    if (typeof clientId === 'string') reply.header('x-ms-client-request-id', clientId);
    done();
  });
});
