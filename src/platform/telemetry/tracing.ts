import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@opentelemetry/api';
import type { Config } from '../../config.ts';
import { withoutTrailingSlashes } from '../text/trim-end.ts';

/** Names and numbers; never what a caller keeps secret, nor the content of anything. */
export type Attributes = Record<string, string | number | boolean>;

/** Something that takes time, as OpenTelemetry tells it. */
export interface Span {
  /** As the header of W3C says where what happens elsewhere on its behalf belongs; undefined when nothing is traced. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** @param trouble the kind of what went wrong */
  end(trouble?: string): void;
}

export interface SpanOptions {
  kind?: 'server' | 'consumer';
  /** A `traceparent`; without one, and for one that is none, the span around is the parent. */
  parent?: string | undefined;
  attributes?: Attributes;
}

export interface Tracing {
  /** Whether anything is traced. */
  readonly on: boolean;
  start(name: string, options?: SpanOptions): Span;
  /** Runs `work` within a span that ends with it; spans that are started meanwhile are below it. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** Sends what was not sent yet, for a second at most. */
  close(): Promise<void>;
}

const NO_SPAN: Span = { traceparent: undefined, set() {}, end() {} };
const NO_TRACING: Tracing = {
  on: false,
  start: () => NO_SPAN,
  span: (_name, _options, work) => work(),
  close: async () => {},
};

const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SEND_EVERY_MS = 1000;
const PATIENCE_MS = 1000;

export type TracingSettings = Pick<Config, 'otel.endpoint' | 'otel.headers' | 'otel.serviceName' | 'otel.sampleRatio'>;

/** Sends traces to a collector (OTLP over HTTP, JSON). Without an endpoint nothing is loaded and nothing done. */
export async function openTracing(settings: TracingSettings, part: 'api' | 'worker'): Promise<Tracing> {
  const endpoint = settings['otel.endpoint'];
  if (endpoint === undefined) return NO_TRACING;
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }, { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/api'),
    ]);
  const exporter = new OTLPTraceExporter({
    url: `${withoutTrailingSlashes(endpoint)}/v1/traces`,
    headers: settings['otel.headers'],
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `${settings['otel.serviceName']}-${part}`,
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    // who calls may have decided already
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings['otel.sampleRatio']) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  const tracer = provider.getTracer('platform');
  const around = new AsyncLocalStorage<Context>();
  const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };

  function parentOf(traceparent: string | undefined): Context {
    const [, traceId, spanId, flags = '0'] = PARENT.exec(traceparent ?? '') ?? [];
    if (traceId === undefined || spanId === undefined) return around.getStore() ?? ROOT_CONTEXT;
    const traceFlags = Number.parseInt(flags, 16) & 1;
    const remote = { traceId, spanId, traceFlags, isRemote: true };
    return trace.isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  }

  function begin(name: string, { kind, parent, attributes = {} }: SpanOptions = {}) {
    const under = parentOf(parent);
    const span = tracer.startSpan(name, { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes }, under);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const told: Span = {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      set: (more) => void span.setAttributes(more),
      end(trouble) {
        if (trouble !== undefined) {
          span.setAttribute('error.type', trouble);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
    return { told, within: trace.setSpan(under, span) };
  }

  return {
    on: true,
    start: (name, options) => begin(name, options).told,
    span(name, options, work) {
      const { told, within } = begin(name, options);
      return around.run(within, async () => {
        let trouble: string | undefined;
        try {
          return await work();
        } catch (error) {
          trouble = error instanceof Error ? error.name : 'Error';
          throw error;
        } finally {
          told.end(trouble);
        }
      });
    },
    // a collector that is away must not hold up the end of a process
    close: () => Promise.race([provider.shutdown().catch(() => {}), sleep(PATIENCE_MS, undefined, { ref: false })]),
  };
}
