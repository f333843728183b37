import { dateFromTimestamp } from '../../platform/text/time.ts';
import type { BlobProblem } from '../../transfers/store/digests.queries.ts';
import type { SweepState } from '../../transfers/store/sweep-state.queries.ts';
import type { Verification } from '../../transfers/store/verification.queries.ts';
import type { StoredRun } from '../cron/maintenance-task.queries.ts';
import type { WorkerState } from '../workers/workers.ts';
import type { getLags, QueuePart } from './gauges.queries.ts';
import type { Labels, MetricFamily } from './prometheus-text.ts';

const STATES = ['waiting', 'delayed', 'running', 'spent'] as const;
/** Maximum of time series for flags, which users can invent as labels. The others are summed as `others`. */
const MAX_FLAGS = 100;
const MB = 2 ** 20;
const TRANSFERS = 'runTransfer';

const gauge = (name: string, help: string, values: MetricFamily['values']): MetricFamily => ({
  name,
  help,
  type: 'gauge',
  values,
});
const singleGauge = (name: string, help: string, value: number) => gauge(name, help, [{ labels: {}, value }]);

/** Numbers of jobs in the queue. */
export function queueGauges(parts: readonly QueuePart[]): MetricFamily[] {
  const sum = (some: readonly QueuePart[]) => some.reduce((total, { count }) => total + count, 0);
  const byState = (labels: Labels, some: readonly QueuePart[]) =>
    STATES.map((state) => ({ labels: { ...labels, state }, value: sum(some.filter((part) => part.state === state)) }));
  const tasks = [...new Set([TRANSFERS, ...parts.map(({ task }) => task)])].sort();
  const flags = [...new Set(parts.flatMap((part) => part.flags))]
    .map((flag) => ({ flag, some: parts.filter((part) => part.flags.includes(flag)) }))
    .sort((a, b) => sum(b.some) - sum(a.some));
  const others = new Set(flags.slice(MAX_FLAGS).map(({ flag }) => flag));
  return [
    gauge(
      'platform_jobs',
      'Jobs in the queue. Spent jobs have failed and are out of attempts.',
      tasks.flatMap((task) =>
        byState(
          { task },
          parts.filter((part) => part.task === task),
        ),
      ),
    ),
    gauge('platform_flagged_jobs', 'Jobs in the queue by each of their resource flags.', [
      ...flags.slice(0, MAX_FLAGS).flatMap(({ flag, some }) => byState({ flag }, some)),
      ...(others.size === 0
        ? []
        : byState(
            { flag: 'others' },
            parts.filter((part) => part.flags.some((one) => others.has(one))),
          )),
    ]),
  ];
}

/** Ages of the oldest waiting jobs, events and deliveries. */
export function lagGauges(lags: Awaited<ReturnType<typeof getLags>>, parts: readonly QueuePart[]): MetricFamily[] {
  const shortJobs = parts.filter(({ task, state }) => task !== TRANSFERS && state === 'waiting');
  return [
    gauge('platform_oldest_waiting_seconds', 'Age of the oldest waiting job; 0 if none waits.', [
      { labels: { kind: 'transfer' }, value: lags.oldestTransfer ?? 0 },
      { labels: { kind: 'chore' }, value: Math.max(0, ...shortJobs.map(({ age = 0 }) => age)) },
    ]),
    singleGauge('platform_events_unpublished', 'Events that are written but not published.', lags.unpublished),
    singleGauge('platform_events_lag_seconds', 'Age of the oldest unpublished event.', lags.oldestUnpublished ?? 0),
    gauge('platform_webhook_deliveries', 'Pending deliveries to webhooks.', [
      { labels: { when: 'now' }, value: lags.deliveriesDue },
      { labels: { when: 'later' }, value: lags.deliveriesLater },
    ]),
    singleGauge('platform_webhook_lag_seconds', 'Age of the oldest pending delivery.', lags.oldestDelivery ?? 0),
    singleGauge('platform_webhooks_failing', 'Webhooks whose last attempt failed.', lags.webhooksFailing),
    singleGauge(
      'platform_webhooks_disabled',
      'Webhooks that are disabled after days of failures.',
      lags.webhooksDisabled,
    ),
  ];
}

/** Results of the last runs of cron jobs. */
export const maintenanceGauges = (runs: readonly StoredRun[]): MetricFamily[] => [
  gauge(
    'platform_chore_failed_items',
    'Failed items of the last run of a cron job; the next run retries them.',
    runs.map(({ name, failed }) => ({ labels: { chore: name }, value: failed })),
  ),
  gauge(
    'platform_chore_finished_timestamp_seconds',
    'Time at which a cron job last finished.',
    runs.map(({ name, finishedAt }) => ({
      labels: { chore: name },
      value: dateFromTimestamp(finishedAt).getTime() / 1000,
    })),
  ),
];

/** Results of the last sweep of blobs. */
export const sweepGauges = (sweep: SweepState | null): MetricFamily[] => [
  singleGauge(
    'platform_blob_sweep_stopped',
    'Whether the sweep keeps unknown blobs until an operator confirms their deletion, or because the store belongs to another platform.',
    sweep?.stoppedBecause === undefined ? 0 : 1,
  ),
  singleGauge(
    'platform_blob_sweep_unknown_blobs',
    'Blobs that the last sweep kept because this database has never referenced them.',
    sweep?.unknownBlobs ?? 0,
  ),
  singleGauge('platform_blobs', 'Blobs that the last sweep found in the store.', sweep?.allBlobs ?? 0),
];

export const verificationGauges = (
  damaged: readonly { problem: BlobProblem; count: number }[],
  last: Verification | null,
): MetricFamily[] => [
  singleGauge(
    'platform_blobs_damaged',
    'Blobs in use that were found to be damaged or missing, until they are found to be right.',
    damaged.reduce((sum, { count }) => sum + count, 0),
  ),
  singleGauge(
    'platform_blobs_missing',
    'Blobs in use that are not in the blob store; they count as damaged, too.',
    damaged.find(({ problem }) => problem === 'missing')?.count ?? 0,
  ),
  singleGauge(
    'platform_blobs_to_verify',
    'Blobs that the running verification has not checked yet.',
    last === null || last.finishedAt !== undefined ? 0 : Math.max(0, last.totalBlobs - last.checkedBlobs),
  ),
  singleGauge(
    'platform_blobs_verified',
    'Blobs that the running or last verification has checked.',
    last?.checkedBlobs ?? 0,
  ),
  singleGauge(
    'platform_blobs_verified_bytes',
    'Bytes that the running or last verification has read.',
    last?.checkedBytes ?? 0,
  ),
];

/** Workers by machine. Labels by process, or by pod, would create new time series at each start. */
export function workerGauges(workers: readonly WorkerState[]): MetricFamily[] {
  const hosts = [...Map.groupBy(workers, ({ host, node }) => node ?? host)];
  const total = (name: string, help: string, value: (worker: WorkerState) => number) =>
    gauge(
      name,
      help,
      hosts.map(([host, some]) => ({
        labels: { host },
        value: some.filter(({ alive }) => alive).reduce((sum, worker) => sum + value(worker), 0),
      })),
    );
  return [
    gauge(
      'platform_workers',
      'Worker processes: alive, of these draining, and gone ones whose transfers are about to be taken over.',
      [
        ...hosts.flatMap(([host, some]) => [
          { labels: { host, state: 'alive' }, value: some.filter(({ alive }) => alive).length },
          {
            labels: { host, state: 'draining' },
            value: some.filter(({ alive, draining }) => alive && draining).length,
          },
          { labels: { host, state: 'gone' }, value: some.filter(({ alive }) => !alive).length },
        ]),
      ],
    ),
    total(
      'platform_worker_slots',
      'Maximum number of concurrent transfers of workers.',
      ({ concurrency }) => concurrency,
    ),
    total('platform_worker_running_transfers', 'Running transfers.', ({ running }) => running),
    total('platform_worker_memory_bytes', 'Memory of workers for transfers.', ({ memoryMb }) => memoryMb * MB),
    total(
      'platform_worker_reserved_memory_bytes',
      'Memory reserved by running transfers.',
      ({ reserved }) => reserved.memoryMb * MB,
    ),
    total('platform_worker_cores', 'Cores of workers for transfers.', ({ cores }) => cores),
  ];
}
