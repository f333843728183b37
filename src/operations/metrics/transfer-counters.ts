import type { CounterRow } from './count-transfers.queries.ts';
import { BUCKETS } from './count-transfers.ts';
import { histogramValues, type Labels, type MetricFamily } from './prometheus-text.ts';

const HISTOGRAMS = {
  wait: ['platform_transfer_wait_seconds', 'Time from the request for a transfer to the start of its last attempt.'],
  run: ['platform_transfer_run_seconds', 'Time from the start of the last attempt of a transfer to its end.'],
} as const;
const COUNTERS = {
  attempts: ['platform_transfer_attempts_total', 'Attempts of ended transfers.'],
  child_deaths: ['platform_transfer_child_deaths_total', 'Deaths of conversion processes of ended transfers.'],
  outages: [
    'platform_transfer_outages_total',
    'Attempts of ended transfers that an outage of the platform interrupted.',
  ],
  worker_losses: ['platform_transfer_worker_losses_total', 'Attempts of ended transfers whose worker was lost.'],
} as const;

/** Counters of ended transfers, summed in the database: the same from every process, and monotonic. */
export function transferCounters(rows: readonly CounterRow[]): MetricFamily[] {
  const of = (name: string) =>
    Map.groupBy(
      rows.filter((one) => one.name === name),
      labelsKey,
    );
  const histograms = Object.entries(HISTOGRAMS).map(([key, [name, help]]): MetricFamily => {
    const values = [...of(key).values()].flatMap((rows) =>
      histogramValues(name, labelsOf(rows[0] as CounterRow), BUCKETS, makeBuckets(rows)),
    );
    return { name, help, type: 'histogram', values };
  });
  const counters = Object.entries(COUNTERS).map(([key, [name, help]]): MetricFamily => {
    const values = [...of(key).values()].map((rows) => ({
      labels: labelsOf(rows[0] as CounterRow),
      value: rows.reduce((sum, row) => sum + row.count, 0),
    }));
    return { name, help, type: 'counter', values };
  });
  return [...histograms, ...counters];
}

const labelsOf = ({ type, reader, writer, outcome }: CounterRow): Labels => ({ type, reader, writer, outcome });
const labelsKey = (row: CounterRow) => JSON.stringify(labelsOf(row));

/** Buckets with the current bounds. A count under an older bound goes to the next larger one. */
function makeBuckets(rows: readonly CounterRow[]) {
  const buckets = new Map<number, { count: number; sum: number }>();
  for (const { upper, count, sum } of rows) {
    const bound = BUCKETS.find((one) => upper <= one) ?? Number.POSITIVE_INFINITY;
    const before = buckets.get(bound) ?? { count: 0, sum: 0 };
    buckets.set(bound, { count: before.count + count, sum: before.sum + sum });
  }
  return buckets;
}
