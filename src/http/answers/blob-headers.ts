import fp from 'fastify-plugin';

/** The version of the blob protocol that is answered to those who name none. */
const VERSION = '2021-08-06';

/**
 * Header fields of every answer at a blob address, whoever gives it: also of refusals, of methods that are not there and of paths that
 * are none. Register it before all that can refuse.
 */
export const blobHeaders = fp(async (app) => {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/api/blob/')) return;
    const { 'x-ms-version': version, 'x-ms-client-request-id': clientId } = request.headers;
    reply.headers({
      'x-ms-request-id': request.id,
      'x-ms-version': typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) ? version : VERSION,
      'cache-control': 'private, no-cache',
    });
    if (typeof clientId === 'string') reply.header('x-ms-client-request-id', clientId);
  });
});
