import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withoutTrailingSlashes } from '../text/trim-end.ts';
import type { Span, SpanOptions, Tracing, TracingSettings } from './tracing.ts';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SEND_EVERY_MS = 1000;
const CLOSE_TIMEOUT_MS = 1000;
const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };

/** Sends traces to a collector. */
export class OtelTracing implements Tracing {
  readonly on = true;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(endpoint: string, settings: TracingSettings, part: 'api' | 'worker') {
    const exporter = new OTLPTraceExporter({
      url: `${withoutTrailingSlashes(endpoint)}/v1/traces`,
      headers: settings['otel.headers'],
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': `${settings['otel.serviceName']}-${part}`,
        'service.instance.id': `${hostname()}-${process.pid}`,
      }),
      // the client's sampling decision wins
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings['otel.sampleRatio']) }),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
    });
    this.#tracer = this.#provider.getTracer('platform');
  }

  start(name: string, options?: SpanOptions): Span {
    return this.#begin(name, options).span;
  }

  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
    const { span, context } = this.#begin(name, options);
    return this.#current.run(context, async () => {
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
  }

  /** An unreachable collector must not delay the end of the process. */
  close(): Promise<void> {
    return Promise.race([
      this.#provider.shutdown().catch(() => {}),
      sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }

  #begin(name: string, { kind, parent, attributes = {} }: SpanOptions = {}) {
    const parentContext = this.#parent(parent);
    const spanKind = kind ? KINDS[kind] : SpanKind.INTERNAL;
    const otelSpan = this.#tracer.startSpan(name, { kind: spanKind, attributes }, parentContext);
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

  #parent(traceparent: string | undefined): Context {
    const [, traceId, spanId, flags = '0'] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (traceId === undefined || spanId === undefined) return this.#current.getStore() ?? ROOT_CONTEXT;
    const traceFlags = Number.parseInt(flags, 16) & 1;
    const remote = { traceId, spanId, traceFlags, isRemote: true };
    return trace.isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  }
}
