import type { Metric } from 'prom-client';

export type Labels = Record<string, string | number>;

/** A Prometheus metric family whose values come from elsewhere, such as the database. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'gauge' | 'counter' | 'histogram';
  values: { labels: Labels; value: number; metricName?: string }[];
}

/**
 * Adapts a metric family to the registry of prom-client, which has no type for external values and uses only these
 * members.
 */
export const asMetric = (exposed: MetricFamily): Metric =>
  ({
    name: exposed.name,
    help: exposed.help,
    type: exposed.type,
    aggregator: 'sum',
    get: async () => exposed,
  }) as unknown as Metric;

/**
 * Cumulative histogram values for these labels. `buckets`: count and sum of each bucket by its upper bound, not
 * cumulative.
 */
export function histogramValues(
  name: string,
  labels: Labels,
  bounds: readonly number[],
  buckets: ReadonlyMap<number, { count: number; sum: number }>,
): MetricFamily['values'] {
  let count = 0;
  let sum = 0;
  const values: MetricFamily['values'] = [];
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
