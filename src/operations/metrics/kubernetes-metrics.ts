import { HANDOVER_BUCKETS } from '../../transfers/cluster/dispatch-counts.queries.ts';
import type { countClusterJobs, listDispatchCounts } from './kubernetes.queries.ts';
import { histogramValues, type MetricFamily } from './prometheus-text.ts';

type Rows<T extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<T>>;

const STATES = ['waiting', 'starting', 'running', 'held'] as const;

/**
 * What dispatchers do, counted in the database: the same from every process.
 * @param clusters whether dispatchers hear them
 */
export function kubernetesMetrics(
  jobs: Rows<typeof countClusterJobs>,
  counts: Rows<typeof listDispatchCounts>,
  clusters: readonly { cluster: string; up: boolean }[],
): MetricFamily[] {
  const counter = (name: string, help: string, counted: string): MetricFamily => ({
    name,
    help,
    type: 'counter',
    values: counts.filter((one) => one.name === counted).map(({ labels, count }) => ({ labels, value: count })),
  });
  const buckets = new Map(
    counts.filter(({ name }) => name === 'handover').map(({ upper, count, sum }) => [upper, { count, sum }]),
  );
  const handover = 'platform_kubernetes_handover_seconds';
  return [
    {
      name: 'platform_kubernetes_up',
      help: 'Whether a dispatcher hears its cluster; absent without a dispatcher.',
      type: 'gauge',
      values: clusters.map(({ cluster, up }) => ({ labels: { cluster }, value: up ? 1 : 0 })),
    },
    {
      name: 'platform_kubernetes_jobs',
      help: 'Transfers that are handed over: waiting for a node, starting, running; and held back after a failure.',
      type: 'gauge',
      values: STATES.map((state) => ({
        labels: { state },
        value: jobs.find((one) => one.state === state)?.count ?? 0,
      })),
    },
    {
      name: handover,
      help: 'Time from the begin of the wait of a transfer to its Job, without those whose last Job failed.',
      type: 'histogram',
      values: histogramValues(handover, {}, HANDOVER_BUCKETS, buckets),
    },
    counter(
      'platform_kubernetes_job_failures_total',
      'Jobs that could not be made, or that ended before their transfer was claimed; and kills for memory.',
      'failures',
    ),
    counter('platform_kubernetes_calls_total', 'Requests of dispatchers to API servers.', 'calls'),
  ];
}
