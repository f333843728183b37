import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Span, Tracing } from '../../platform/telemetry/tracing.ts';

/** Frequent requests of monitoring. */
const UNTRACED = /^\/(health\/|metrics$)/;

declare module 'fastify' {
  interface FastifyRequest {
    /** W3C trace context for jobs that the request starts; undefined without tracing. */
    traceparent: string | undefined;
  }
}

/**
 * A span for each request, below the client's span. Contains the route pattern and not the URL, which may contain names
 * and secrets.
 */
export const requestTraces = fp<{ tracing: Tracing }>(async (app, { tracing }) => {
  app.decorateRequest('traceparent', undefined);
  if (!tracing.on) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request;
    const route = routeOptions.url ?? '';
    if (UNTRACED.test(route)) return done();
    const given = headers.traceparent;
    const traceparent = typeof given === 'string' ? given : undefined;
    const span = tracing.start(`${method} ${route}`.trimEnd(), {
      kind: 'server',
      parent: traceparent,
      attributes: { 'http.request.method': method, 'http.route': route, 'platform.request.id': request.id },
    });
    spans.set(request, span);
    request.traceparent = span.traceparent;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode });
    span?.end(reply.statusCode >= 500 ? String(reply.statusCode) : undefined);
    done();
  });
});
