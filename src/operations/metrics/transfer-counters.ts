import type { Figure } from './figures.queries.ts';
import { BUCKETS } from './figures.ts';
import type { Exposed, Labels } from './prometheus-text.ts';
import { histogramValues } from './prometheus-text.ts';

const HISTOGRAMS = {
  wait: ['platform_transfer_wait_seconds', 'From the request for a transfer to the start of its last attempt.'],
  run: ['platform_transfer_run_seconds', 'From the start of the last attempt of a transfer to its end.'],
} as const;
const COUNTERS = {
  attempts: ['platform_transfer_attempts_total', 'Attempts of transfers that have ended.'],
  child_deaths: [
    'platform_transfer_child_deaths_total',
    'Conversion processes that died, of transfers that have ended.',
  ],
  outages: [
    'platform_transfer_outages_total',
    'Attempts that the platform could not run, of transfers that have ended.',
  ],
  worker_losses: [
    'platform_transfer_worker_losses_total',
    'Attempts whose worker was lost, of transfers that have ended.',
  ],
} as const;

/** What the database has added up of transfers that ended: the same from every process, and never less than before. */
export function toldFigures(figures: readonly Figure[]): Exposed[] {
  const of = (name: string) =>
    Map.groupBy(
      figures.filter((one) => one.name === name),
      labelsKey,
    );
  const histograms = Object.entries(HISTOGRAMS).map(([key, [name, help]]): Exposed => {
    const values = [...of(key).values()].flatMap((rows) =>
      histogramValues(name, labelsOf(rows[0] as Figure), BUCKETS, bucketsOf(rows)),
    );
    return { name, help, type: 'histogram', values };
  });
  const counters = Object.entries(COUNTERS).map(([key, [name, help]]): Exposed => {
    const values = [...of(key).values()].map((rows) => ({
      labels: labelsOf(rows[0] as Figure),
      value: rows.reduce((sum, row) => sum + row.count, 0),
    }));
    return { name, help, type: 'counter', values };
  });
  return [...histograms, ...counters];
}

const labelsOf = ({ type, reader, writer, outcome }: Figure): Labels => ({ type, reader, writer, outcome });
const labelsKey = (row: Figure) => JSON.stringify(labelsOf(row));

/** Under the bounds of now: what was counted under others falls into the next larger one. */
function bucketsOf(rows: readonly Figure[]) {
  const buckets = new Map<number, { count: number; sum: number }>();
  for (const { upper, count, sum } of rows) {
    const bound = BUCKETS.find((one) => upper <= one) ?? Number.POSITIVE_INFINITY;
    const before = buckets.get(bound) ?? { count: 0, sum: 0 };
    buckets.set(bound, { count: before.count + count, sum: before.sum + sum });
  }
  return buckets;
}
