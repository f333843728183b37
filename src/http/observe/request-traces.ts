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

/** A request whose span starts. */
export interface TracedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Path pattern; empty if no route matched. */
  readonly route: string;
  /** Of the client. */
  readonly traceparent: string | undefined;
}

export const startRequestSpan = (tracing: Tracing, { requestId, method, route, traceparent }: TracedRequest): Span =>
  tracing.start(`${method} ${route}`.trimEnd(), {
    kind: 'server',
    parent: traceparent,
    attributes: { 'http.request.method': method, 'http.route': route, 'platform.request.id': requestId },
  });

export function endRequestSpan(span: Span | undefined, status: number): void {
  span?.set({ 'http.response.status_code': status });
  span?.end(status >= 500 ? String(status) : undefined);
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
    const span = startRequestSpan(tracing, { requestId: request.id, method, route, traceparent });
    spans.set(request, span);
    request.traceparent = span.traceparent;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    endRequestSpan(spans.get(request), reply.statusCode);
    done();
  });
});
