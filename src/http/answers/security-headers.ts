import fp from 'fastify-plugin';

/**
 * Security headers of every answer: nothing in it may be loaded, framed, sniffed, or tell other hosts the address,
 * which may hold a signature. Pages replace the content security policy by their own.
 */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Register it before the first route. */
export const securityHeaders = fp(async (app) => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
});
