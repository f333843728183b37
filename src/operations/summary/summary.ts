import type { z } from 'zod';
import type { Reads } from '../../db.ts';
import { Build } from '../../http/observe/health.ts';
import { component, number, texts } from '../../http/rules/members.ts';
import { readBuild } from '../../platform/telemetry/build.ts';
import { blobStoreState } from '../blobs/blob-store.ts';
import { listMaintenanceRuns } from '../cron/maintenance-task.queries.ts';
import { getLags, listQueueParts } from '../metrics/gauges.queries.ts';
import { PauseState, pauseState } from '../workers/pause.ts';
import { listWorkerStates } from '../workers/workers.ts';
import { countFailures, countPeople } from './queries.ts';

/** The platform at a glance. */
export const Summary = component('AdminSummary', {
  pause: PauseState.describe('The pause of new work.'),
  queue: component('QueueSummary', {
    waiting: number('Number of jobs that wait for a worker.'),
    delayed: number('Number of jobs that wait for a later time.'),
    running: number('Number of running jobs.'),
    spent: number('Number of jobs that failed too often.'),
    oldestTransferSeconds: number('Age of the oldest waiting transfer in seconds.').optional(),
  }).describe('Jobs of the queue by state.'),
  workers: component('WorkerSummary', {
    alive: number('Number of workers that live.'),
    draining: number('Number of live workers that take no more transfers.'),
    running: number('Number of transfers that they run.'),
    places: number('Number of transfers that they can run at once.'),
  }).describe('Workers and what they run.'),
  failures: component('FailureSummary', {
    lastDay: number('Number of transfers that failed in the last 24 hours and were not retried.'),
    kinds: number('Number of kinds of these failures.'),
    periodicTasks: texts('Periodic tasks whose last run had failures.', ['cleanUp']),
  }).describe('What failed lately.'),
  webhooks: component('WebhookSummary', {
    due: number('Number of deliveries that are due.'),
    later: number('Number of deliveries that wait for their next attempt.'),
    failing: number('Number of webhooks whose deliveries fail.'),
    disabled: number('Number of webhooks that were disabled.'),
  }).describe('Deliveries of events to webhooks.'),
  blobs: component('BlobSummary', {
    damagedBlobs: number('Number of blobs whose bytes are not those that were written.'),
    missingBlobs: number('Number of blobs that are not in the store.'),
  }).describe('Faults of the blob store.'),
  accounts: number('Number of accounts.'),
  tenants: number('Number of tenants.'),
  build: Build.describe('What the API process runs that answers.'),
});
export type Summary = z.infer<typeof Summary>;

export async function adminSummary(db: Reads): Promise<Summary> {
  const [pause, parts, lags, workers, failures, runs, blobs, people] = await Promise.all([
    pauseState(db),
    listQueueParts(db),
    getLags(db),
    listWorkerStates(db),
    countFailures(db),
    listMaintenanceRuns(db),
    blobStoreState(db),
    countPeople(db),
  ]);
  const inState = (state: (typeof parts)[number]['state']) =>
    parts.reduce((sum, part) => sum + (part.state === state ? part.count : 0), 0);
  const alive = workers.filter((worker) => worker.alive);
  const sumOf = (value: (worker: (typeof alive)[number]) => number) =>
    alive.reduce((sum, worker) => sum + value(worker), 0);
  return {
    pause,
    queue: {
      waiting: inState('waiting'),
      delayed: inState('delayed'),
      running: inState('running'),
      spent: inState('spent'),
      ...(lags.oldestTransfer === undefined ? {} : { oldestTransferSeconds: lags.oldestTransfer }),
    },
    workers: {
      alive: alive.length,
      draining: alive.filter(({ draining }) => draining).length,
      running: sumOf(({ running }) => running),
      places: sumOf(({ concurrency }) => concurrency),
    },
    failures: {
      lastDay: failures.failures,
      kinds: failures.kinds,
      periodicTasks: runs.filter(({ failed }) => (failed ?? 0) > 0).map(({ name }) => name),
    },
    webhooks: {
      due: lags.deliveriesDue,
      later: lags.deliveriesLater,
      failing: lags.webhooksFailing,
      disabled: lags.webhooksDisabled,
    },
    blobs: { damagedBlobs: blobs.damagedBlobs, missingBlobs: blobs.missingBlobs },
    ...people,
    build: readBuild(),
  };
}
