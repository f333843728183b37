import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../../db.ts';
import { readBuild } from '../../platform/telemetry/build.ts';
import { listReachedClusters } from '../../transfers/cluster/cluster-views.queries.ts';
import { countDamaged } from '../../transfers/store/digests.queries.ts';
import { findSweepState } from '../../transfers/store/sweep-state.queries.ts';
import { findVerification } from '../../transfers/store/verification.queries.ts';
import { listMaintenanceRuns } from '../cron/maintenance-task.queries.ts';
import { listWorkerStates } from '../workers/workers.ts';
import { listCounters } from './count-transfers.queries.ts';
import { countMassRetries, getLags, listQueueParts } from './gauges.queries.ts';
import { countClusterJobs, listDispatchCounts } from './kubernetes.queries.ts';
import { kubernetesMetrics } from './kubernetes-metrics.ts';
import { asMetric } from './prometheus-text.ts';
import { type AnsweredRequest, RequestDurations } from './request-durations.ts';
import { transferCounters } from './transfer-counters.ts';
import {
  lagGauges,
  maintenanceGauges,
  queueGauges,
  sweepGauges,
  verificationGauges,
  workerGauges,
} from './transfer-gauges.ts';

export type TileKind = 'raster' | 'vector';

export interface MetricsParts {
  db: Database;
  /** Folder of the blobs, if they are stored on disk. */
  blobFolder: string | undefined;
  log: { warn(details: object, message: string): void };
}

const DRAWING_BUCKETS = [0.005, 0.02, 0.05, 0.15, 0.5, 2, 10];
const BLOB_BUCKETS = [0.001, 0.01, 0.1, 1, 10, 60];
const MIN_CACHE_MS = 1000;
const CACHE_FACTOR = 20;
/** About as often as Prometheus asks: a busy database, of which one wants to know, must not make them old. */
const MAX_CACHE_MS = 15_000;

/**
 * ms for which database metrics are cached: 20 times the duration of their queries, so that they use at most 5 % of a
 * core.
 */
export const cacheTime = (duration: number): number =>
  Math.max(MIN_CACHE_MS, Math.min(MAX_CACHE_MS, CACHE_FACTOR * duration));

/** Metrics of this process and of the platform. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestDurations();
  readonly #blobs = new Histogram({
    name: 'platform_blob_store_operation_duration_seconds',
    help: 'Duration of blob store operations of this process; for reads, until the first byte.',
    labelNames: ['operation', 'outcome'],
    buckets: BLOB_BUCKETS,
    registers: [this.#registry],
  });
  readonly #tileOrigins = {
    raster: new Counter({
      name: 'platform_tiles_on_request_total',
      help: 'Tiles of levels that are drawn on request, by where this process got them from.',
      labelNames: ['origin'],
      registers: [this.#registry],
    }),
    vector: new Counter({
      name: 'platform_vector_tiles_total',
      help: 'Vector tiles, by where this process got them from.',
      labelNames: ['origin'],
      registers: [this.#registry],
    }),
  };
  readonly #drawings = new Histogram({
    name: 'platform_tile_drawing_duration_seconds',
    help: 'Duration of drawing a tile on a thread of this process, without waiting for the thread.',
    labelNames: ['kind', 'outcome'],
    buckets: DRAWING_BUCKETS,
    registers: [this.#registry],
  });
  readonly #watched = new Map<TileKind, () => { waiting: number; drawing: number }>();
  readonly #up: Gauge;
  readonly #fromDatabase: () => Promise<string>;
  readonly #log: MetricsParts['log'];
  #isMeasured = false;

  constructor({ db, blobFolder, log }: MetricsParts) {
    const registers = [this.#registry];
    this.#registry.registerMetric(this.#requests.metric);
    new Gauge({
      name: 'platform_database_connections',
      help: "Database connections of this process; 'awaited': requests that wait for one.",
      labelNames: ['state'],
      registers,
      collect() {
        const { inUse, idle, awaited } = db.connections();
        this.set({ state: 'in_use' }, inUse);
        this.set({ state: 'idle' }, idle);
        this.set({ state: 'awaited' }, awaited);
      },
    });
    const watched = this.#watched;
    new Gauge({
      name: 'platform_tile_drawings',
      help: 'Tiles that wait for a drawing thread of this process, and those that are being drawn.',
      labelNames: ['kind', 'state'],
      registers,
      collect() {
        for (const [kind, counts] of watched)
          for (const [state, count] of Object.entries(counts())) this.set({ kind, state }, count);
      },
    });
    const { version, commit = '' } = readBuild();
    new Gauge({
      name: 'platform_build_info',
      help: 'Version and commit of this process; always 1.',
      labelNames: ['version', 'commit'],
      registers,
    }).set({ version, commit }, 1);
    this.#up = new Gauge({ name: 'platform_database_up', help: 'Whether the database responded.', registers });
    if (blobFolder !== undefined) diskGauges(blobFolder, registers);
    this.#fromDatabase = cached(() => platformMetrics(db));
    this.#log = log;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  answered(request: AnsweredRequest): void {
    this.#requests.observe(request);
  }

  blobOperation(operation: string, outcome: 'ok' | 'refused' | 'error', seconds: number): void {
    this.#blobs.observe({ operation, outcome }, seconds);
  }

  /** A vector tile, or a raster tile of a level that is drawn on request. */
  tileServed(kind: TileKind, origin: 'memory' | 'database' | 'drawn'): void {
    this.#tileOrigins[kind].inc({ origin });
  }

  tileDrawn(kind: TileKind, outcome: 'ok' | 'cancelled' | 'error', seconds: number): void {
    this.#drawings.observe({ kind, outcome }, seconds);
  }

  /** Counts of drawings that wait for a thread or have one. */
  watchDrawings(kind: TileKind, counts: () => { waiting: number; drawing: number }): void {
    this.#watched.set(kind, counts);
  }

  /** All metrics in the Prometheus text format. */
  async text(): Promise<string> {
    // memory, CPU, event loop and garbage collection are measured from the first scrape: before, for nothing
    if (!this.#isMeasured) collectDefaultMetrics({ register: this.#registry });
    this.#isMeasured = true;
    const platform = await this.#fromDatabase().catch((error) => {
      this.#log.warn({ err: error }, 'metrics cannot be read from the database');
      return undefined;
    });
    this.#up.set(platform === undefined ? 0 : 1);
    const own = await this.#registry.metrics();
    return platform === undefined ? own : `${own}\n${platform}`;
  }
}

/** Metrics of the platform, as Prometheus text. */
async function platformMetrics(db: Database): Promise<string> {
  const [parts, lags, workers, counters, orders, maintenanceRuns, sweep, damaged, verification, ...cluster] =
    await Promise.all([
      listQueueParts(db),
      getLags(db),
      listWorkerStates(db),
      listCounters(db),
      countMassRetries(db),
      listMaintenanceRuns(db),
      findSweepState(db),
      countDamaged(db),
      findVerification(db),
      countClusterJobs(db),
      listDispatchCounts(db),
      listReachedClusters(db),
    ]);
  const platform = new Registry();
  const running = {
    name: 'platform_retry_orders',
    help: 'Running mass retries.',
    type: 'gauge' as const,
    values: [{ labels: {}, value: orders }],
  };
  for (const family of [
    ...queueGauges(parts),
    ...lagGauges(lags, parts),
    ...workerGauges(workers),
    ...transferCounters(counters),
    ...maintenanceGauges(maintenanceRuns),
    ...sweepGauges(sweep),
    ...verificationGauges(damaged, verification),
    ...kubernetesMetrics(...cluster),
    running,
  ])
    platform.registerMetric(asMetric(family));
  return platform.metrics();
}

/** Shares one result among all callers while it is computed and for some time after. */
function cached(make: () => Promise<string>): () => Promise<string> {
  let answer: Promise<string> | undefined;
  let until = 0;
  return () => {
    if (answer !== undefined && performance.now() < until) return answer;
    const began = performance.now();
    until = Number.POSITIVE_INFINITY;
    answer = make();
    answer.then(
      () => {
        const now = performance.now();
        until = now + cacheTime(now - began);
      },
      () => {
        until = 0;
      },
    );
    return answer;
  };
}

function diskGauges(folder: string, registers: Registry[]) {
  const gauge = (name: string, help: string, value: (stats: StatsFs) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const stats = await statfs(folder).catch(() => undefined);
        if (stats) this.set(value(stats));
      },
    });
  gauge(
    'platform_blob_store_free_bytes',
    'Free bytes on the file system of the blobs.',
    ({ bavail, bsize }) => bavail * bsize,
  );
  gauge(
    'platform_blob_store_size_bytes',
    'Size of the file system of the blobs.',
    ({ blocks, bsize }) => blocks * bsize,
  );
}
