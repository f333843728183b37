import type { Config } from '../../config.ts';

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

export type TracingSettings = Pick<Config, 'otel.endpoint' | 'otel.headers' | 'otel.serviceName' | 'otel.sampleRatio'>;
