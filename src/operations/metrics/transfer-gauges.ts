import { dateFromTimestamp } from '../../platform/text/time.ts';
import type { SweepState } from '../../transfers/store/sweep-state.queries.ts';
import type { ChoreRun } from '../cron/chores.queries.ts';
import type { WorkerState } from '../workers/workers.ts';
import type { getLags, QueuePart } from './gauges.queries.ts';
import type { Exposed, Labels } from './prometheus-text.ts';

const STATES = ['waiting', 'delayed', 'running', 'spent'] as const;
/** Labels of transfers are words of those who start them: beyond so many flags they are told together. */
const MOST_FLAGS = 100;
const MB = 2 ** 20;
const TRANSFERS = 'runTransfer';

const gauge = (name: string, help: string, values: Exposed['values']): Exposed => ({
  name,
  help,
  type: 'gauge',
  values,
});
const single = (name: string, help: string, value: number) => gauge(name, help, [{ labels: {}, value }]);

/** How full the queue is. */
export function toldQueue(parts: readonly QueuePart[]): Exposed[] {
  const sum = (some: readonly QueuePart[]) => some.reduce((total, { count }) => total + count, 0);
  const byState = (labels: Labels, some: readonly QueuePart[]) =>
    STATES.map((state) => ({ labels: { ...labels, state }, value: sum(some.filter((part) => part.state === state)) }));
  const tasks = [...new Set([TRANSFERS, ...parts.map(({ task }) => task)])].sort();
  const flags = [...new Set(parts.flatMap((part) => part.flags))]
    .map((flag) => ({ flag, some: parts.filter((part) => part.flags.includes(flag)) }))
    .sort((a, b) => sum(b.some) - sum(a.some));
  const others = new Set(flags.slice(MOST_FLAGS).map(({ flag }) => flag));
  return [
    gauge(
      'platform_jobs',
      'Jobs in the queue. Spent ones were tried in vain as often as they may be.',
      tasks.flatMap((task) =>
        byState(
          { task },
          parts.filter((part) => part.task === task),
        ),
      ),
    ),
    gauge('platform_flagged_jobs', 'Jobs in the queue by each flag that says what they need.', [
      ...flags.slice(0, MOST_FLAGS).flatMap(({ flag, some }) => byState({ flag }, some)),
      ...(others.size === 0
        ? []
        : byState(
            { flag: 'others' },
            parts.filter((part) => part.flags.some((one) => others.has(one))),
          )),
    ]),
  ];
}

/** How late things are. */
export function toldLags(lags: Awaited<ReturnType<typeof getLags>>, parts: readonly QueuePart[]): Exposed[] {
  const chores = parts.filter(({ task, state }) => task !== TRANSFERS && state === 'waiting');
  return [
    gauge('platform_oldest_waiting_seconds', 'How long what waits longest in the queue has waited; 0: nothing waits.', [
      { labels: { kind: 'transfer' }, value: lags.oldestTransfer ?? 0 },
      { labels: { kind: 'chore' }, value: Math.max(0, ...chores.map(({ age = 0 }) => age)) },
    ]),
    single(
      'platform_events_unpublished',
      'Events that were written and have no place in the order yet.',
      lags.unpublished,
    ),
    single('platform_events_lag_seconds', 'Age of the oldest of these.', lags.oldestUnpublished ?? 0),
    gauge('platform_webhook_deliveries', 'Deliveries to webhooks that are to be made.', [
      { labels: { when: 'now' }, value: lags.deliveriesDue },
      { labels: { when: 'later' }, value: lags.deliveriesLater },
    ]),
    single('platform_webhook_lag_seconds', 'Age of the oldest of these.', lags.oldestDelivery ?? 0),
    single('platform_webhooks_failing', 'Webhooks whose last attempt failed.', lags.webhooksFailing),
  ];
}

/** How the last runs of the jobs of the clock went. */
export const toldChores = (runs: readonly ChoreRun[]): Exposed[] => [
  gauge(
    'platform_chore_failed_items',
    'What the last run of a job of the clock could not do; the next run tries it again.',
    runs.map(({ name, failed }) => ({ labels: { chore: name }, value: failed })),
  ),
  gauge(
    'platform_chore_finished_timestamp_seconds',
    'When a job of the clock last came to its end.',
    runs.map(({ name, finishedAt }) => ({
      labels: { chore: name },
      value: dateFromTimestamp(finishedAt).getTime() / 1000,
    })),
  ),
];

/** The sweep of blobs, as it last went. */
export const toldSweep = (sweep: SweepState | null): Exposed[] => [
  single(
    'platform_blob_sweep_stopped',
    "Whether the sweep of blobs leaves unknown blobs alone until somebody confirms their removal, or the store is another one's.",
    sweep?.stoppedBecause === undefined ? 0 : 1,
  ),
  single(
    'platform_blob_sweep_unknown_blobs',
    'Blobs that the last sweep left alone because this database has never named them.',
    sweep?.unknownBlobs ?? 0,
  ),
  single('platform_blobs', 'Blobs that the last sweep found in the store.', sweep?.allBlobs ?? 0),
];

/** What workers there are, by machine: names of processes would be new series at each start. */
export function toldWorkers(workers: readonly WorkerState[]): Exposed[] {
  const hosts = [...Map.groupBy(workers, ({ host }) => host)];
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
      'Worker processes: alive, of these draining, and those that are gone and whose work is about to be taken over.',
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
    total('platform_worker_slots', 'Transfers that workers run at a time.', ({ concurrency }) => concurrency),
    total('platform_worker_running_transfers', 'Transfers under way.', ({ running }) => running),
    total('platform_worker_memory_bytes', 'Memory that workers have for transfers.', ({ memoryMb }) => memoryMb * MB),
    total(
      'platform_worker_reserved_memory_bytes',
      'Memory that the transfers under way may use together.',
      ({ reserved }) => reserved.memoryMb * MB,
    ),
    total('platform_worker_cores', 'Cores that workers have for transfers.', ({ cores }) => cores),
  ];
}
