import type { Span, Tracing, TracingSettings } from './tracing.ts';

const NO_SPAN: Span = { traceparent: undefined, set() {}, end() {} };
const NO_TRACING: Tracing = {
  on: false,
  start: () => NO_SPAN,
  span: (_name, _options, work) => work(),
  close: async () => {},
};

/**
 * Sends traces to a collector (OTLP over HTTP, JSON). Without an endpoint, tracing is off and the libraries are not
 * loaded.
 */
export async function openTracing(settings: TracingSettings, part: 'api' | 'worker'): Promise<Tracing> {
  const endpoint = settings['otel.endpoint'];
  if (endpoint === undefined) return NO_TRACING;
  const { OtelTracing } = await import('./otel-tracing.ts');
  return new OtelTracing(endpoint, settings, part);
}
