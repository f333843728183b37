import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../../db.ts';
import { findSweepState } from '../../transfers/store/sweep-state.queries.ts';
import { listChoreRuns } from '../cron/chores.queries.ts';
import { listWorkerStates } from '../workers/workers.ts';
import { listFigures } from './figures.queries.ts';
import { countOrders, getLags, listQueueParts } from './gauges.queries.ts';
import { asMetric } from './prometheus-text.ts';
import { toldFigures } from './transfer-counters.ts';
import { toldChores, toldLags, toldQueue, toldSweep, toldWorkers } from './transfer-gauges.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** As its route spells it; absent where none is. */
  route: string | undefined;
  status: number;
  seconds: number;
}

/** What this process measures, and what it tells of the platform. */
export interface Metrics {
  answered(request: AnsweredRequest): void;
  blobOperation(operation: string, outcome: 'ok' | 'refused' | 'error', seconds: number): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsParts {
  db: Database;
  /** Where blobs are kept, if that is a folder. */
  blobFolder: string | undefined;
  log: { warn(details: object, message: string): void };
}

const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const BLOB_BUCKETS = [0.001, 0.01, 0.1, 1, 10, 60];
/** What the database tells is kept this long, or so many times as long as it took: on the longest queue it costs a twentieth of a core. */
const KEPT_MS = 1000;
const KEPT_TIMES = 20;

export function openMetrics({ db, blobFolder, log }: MetricsParts): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'platform_http_request_duration_seconds',
    help: 'From the arrival of a request at this process to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const blobs = new Histogram({
    name: 'platform_blob_store_operation_duration_seconds',
    help: 'Operations of this process on the store of blobs; of reads, until the first byte.',
    labelNames: ['operation', 'outcome'],
    buckets: BLOB_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'platform_database_connections',
    help: "Connections of this process to the database; 'awaited': requests that wait for one.",
    labelNames: ['state'],
    registers,
    collect() {
      const { inUse, idle, awaited } = db.connections();
      this.set({ state: 'in_use' }, inUse);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'awaited' }, awaited);
    },
  });
  const up = new Gauge({ name: 'platform_database_up', help: 'Whether the database answered.', registers });
  if (blobFolder !== undefined) diskGauges(blobFolder, registers);

  let measured = false;
  /** Memory, processor, event loop, garbage: from the first look on, so that a process that nobody looks at spends nothing on it. */
  const measureProcess = () => {
    if (!measured) collectDefaultMetrics({ register: registry });
    measured = true;
  };

  const tell = async () => {
    const [parts, lags, workers, figures, orders, chores, sweep] = await Promise.all([
      listQueueParts(db),
      getLags(db),
      listWorkerStates(db),
      listFigures(db),
      countOrders(db),
      listChoreRuns(db),
      findSweepState(db),
    ]);
    const told = new Registry();
    const running = {
      name: 'platform_retry_orders',
      help: 'Orders to try failures again that are being followed.',
      type: 'gauge' as const,
      values: [{ labels: {}, value: orders }],
    };
    for (const one of [
      ...toldQueue(parts),
      ...toldLags(lags, parts),
      ...toldWorkers(workers),
      ...toldFigures(figures),
      ...toldChores(chores),
      ...toldSweep(sweep),
      running,
    ])
      told.registerMetric(asMetric(one));
    return told.metrics();
  };
  const toldKept = keptFor(tell);

  return {
    contentType: registry.contentType,
    answered: ({ method, route = '', status, seconds }) => requests.observe({ method, route, status }, seconds),
    blobOperation: (operation, outcome, seconds) => blobs.observe({ operation, outcome }, seconds),
    async text() {
      measureProcess();
      const told = await toldKept().catch((error) => {
        log.warn({ err: error }, 'the database cannot tell its figures');
        return undefined;
      });
      up.set(told === undefined ? 0 : 1);
      const own = await registry.metrics();
      return told === undefined ? own : `${own}\n${told}`;
    },
  };
}

/** The same answer for all who ask while it is made, and for some time after. */
function keptFor(make: () => Promise<string>): () => Promise<string> {
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
        until = now + Math.max(KEPT_MS, KEPT_TIMES * (now - began));
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
    'Room on the file system of the blobs.',
    ({ bavail, bsize }) => bavail * bsize,
  );
  gauge(
    'platform_blob_store_size_bytes',
    'Size of the file system of the blobs.',
    ({ blocks, bsize }) => blocks * bsize,
  );
}
