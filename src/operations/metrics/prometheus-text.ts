import type { Metric } from 'prom-client';

export type Labels = Record<string, string | number>;

/** What a process tells that it did not measure itself. */
export interface Exposed {
  name: string;
  help: string;
  type: 'gauge' | 'counter' | 'histogram';
  values: { labels: Labels; value: number; metricName?: string }[];
}

/** As a registry takes it: the client measures by itself, and knows no figures that others give. It asks for nothing but these members. */
export const asMetric = (exposed: Exposed): Metric =>
  ({ ...exposed, aggregator: 'sum', get: async () => exposed }) as unknown as Metric;

/** The part of a histogram that these labels have. `buckets`: how many fell between the bound before and this one. */
export function histogramValues(
  name: string,
  labels: Labels,
  bounds: readonly number[],
  buckets: ReadonlyMap<number, { count: number; sum: number }>,
): Exposed['values'] {
  let count = 0;
  let sum = 0;
  const values: Exposed['values'] = [];
  for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
    count += buckets.get(bound)?.count ?? 0;
    sum += buckets.get(bound)?.sum ?? 0;
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : bound;
    values.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: count });
  }
  values.push({ metricName: `${name}_sum`, labels, value: sum });
  values.push({ metricName: `${name}_count`, labels, value: count });
  return values;
}
