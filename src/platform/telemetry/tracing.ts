import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@opentelemetry/api';
import type { Config } from '../../config.ts';
import { withoutTrailingSlashes } from '../text/trim-end.ts';

/** Span attributes. Must contain no secrets and no contents of datasets. */
export type Attributes = Record<string, string | number | boolean>;

/** A span of OpenTelemetry. */
export interface Span {
  /** W3C `traceparent` for child spans in other processes; undefined when tracing is off. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** @param errorType `error.type` of a failed operation */
  end(errorType?: string): void;
}

export interface SpanOptions {
  kind?: 'server' | 'consumer';
  /** A `traceparent`. If it is absent or malformed, the current span is the parent. */
  parent?: string | undefined;
  attributes?: Attributes;
}

export interface Tracing {
  readonly on: boolean;
  start(name: string, options?: SpanOptions): Span;
  /** Runs `work` within a span, which is the parent of spans that `work` starts. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** Sends buffered spans; waits at most one second. */
  close(): Promise<void>;
}

const NO_SPAN: Span = { traceparent: undefined, set() {}, end() {} };
const NO_TRACING: Tracing = {
  on: false,
  start: () => NO_SPAN,
  span: (_name, _options, work) => work(),
  close: async () => {},
};

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SEND_EVERY_MS = 1000;
const CLOSE_TIMEOUT_MS = 1000;

export type TracingSettings = Pick<Config, 'otel.endpoint' | 'otel.headers' | 'otel.serviceName' | 'otel.sampleRatio'>;

/**
 * Sends traces to a collector (OTLP over HTTP, JSON). Without an endpoint, tracing is off and the libraries are not
 * loaded.
 */
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
    // the client's sampling decision wins
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings['otel.sampleRatio']) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  const tracer = provider.getTracer('platform');
  const current = new AsyncLocalStorage<Context>();
  const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };

  function readParent(traceparent: string | undefined): Context {
    const [, traceId, spanId, flags = '0'] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (traceId === undefined || spanId === undefined) return current.getStore() ?? ROOT_CONTEXT;
    const traceFlags = Number.parseInt(flags, 16) & 1;
    const remote = { traceId, spanId, traceFlags, isRemote: true };
    return trace.isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  }

  function begin(name: string, { kind, parent, attributes = {} }: SpanOptions = {}) {
    const parentContext = readParent(parent);
    const otelSpan = tracer.startSpan(
      name,
      { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes },
      parentContext,
    );
    const { traceId, spanId, traceFlags } = otelSpan.spanContext();
    const span: Span = {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      set: (more) => void otelSpan.setAttributes(more),
      end(errorType) {
        if (errorType !== undefined) {
          otelSpan.setAttribute('error.type', errorType);
          otelSpan.setStatus({ code: SpanStatusCode.ERROR });
        }
        otelSpan.end();
      },
    };
    return { span, context: trace.setSpan(parentContext, otelSpan) };
  }

  return {
    on: true,
    start: (name, options) => begin(name, options).span,
    span(name, options, work) {
      const { span, context } = begin(name, options);
      return current.run(context, async () => {
        let errorType: string | undefined;
        try {
          return await work();
        } catch (error) {
          errorType = error instanceof Error ? error.name : 'Error';
          throw error;
        } finally {
          span.end(errorType);
        }
      });
    },
    // an unreachable collector must not delay the end of the process
    close: () =>
      Promise.race([provider.shutdown().catch(() => {}), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]),
  };
}
