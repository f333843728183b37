import type { TaskList } from 'graphile-worker';
import type { Config } from '../src/config.ts';
import { Deliveries } from '../src/events/deliver.ts';
import { CRON, notifyWorkers, shortJobsWait } from '../src/jobs.ts';
import { countEndedTransfers } from '../src/operations/metrics/count-transfers.ts';
import { followMassRetries } from '../src/operations/retries/mass-retry.ts';
import { openMailer } from '../src/platform/mail/mail.ts';
import { readBuild } from '../src/platform/telemetry/build.ts';
import { getQueueSnapshot } from '../src/transfers/queue/snapshot.queries.ts';
import { unlockUnheld } from '../src/transfers/queue/sweep.queries.ts';
import type { Executor } from '../src/transfers/run/executor.ts';
import { startRules } from '../src/transfers/starts/rules.ts';
import type { Admission } from './admission.ts';
import { Allocator } from './allocator.ts';
import { Draining } from './draining.ts';
import { ExecutorHost } from './executor-host.ts';
import type { Liveness } from './liveness.ts';
import { Maintenance, type Step, transferSteps } from './maintenance.ts';
import { Patience } from './patience.ts';
import { Queue, shortJobs } from './queue.ts';
import { cleanUpTask } from './tasks/clean-up.ts';
import { drawThumbnailsTask } from './tasks/draw-thumbnails.ts';
import { drawVectorOverviewTask } from './tasks/draw-vector-overview.ts';
import { expireCreditsTask } from './tasks/expire-credits.ts';
import { makePreviewTask } from './tasks/make-preview.ts';
import { removeSpentBlobsTask } from './tasks/remove-spent-blobs.ts';
import { runTransferTask } from './tasks/run-transfer.ts';
import { sendAccountMailTask } from './tasks/send-account-mail.ts';
import { sweepRecycleBinTask } from './tasks/sweep-recycle-bin.ts';
import { verifyBlobsTask } from './tasks/verify-blobs.ts';

/** A worker that has its liveness lock. */
export interface Registered {
  executor: Executor;
  liveness: Liveness;
  draining: Draining;
}

/** A part that hands transfers to a cluster, in place of running them. */
export interface HandsOver {
  takes: 'all' | 'rest';
  open(host: ExecutorHost, registered: Registered): Promise<{ stop(): Promise<void> }>;
}

/** Time to stop; the platform as a whole has ten seconds. */
const PATIENCE_MS = 7000;
/** How long a locked queue row may take to reach the process that locked it. */
const UNHELD_MS = 10_000;
const CRONTAB = Object.entries(CRON)
  .map(([name, schedule]) => `${schedule} ${name}`)
  .join('\n');

/** A worker process that takes jobs. Any number of workers may run, on any machines. */
export class Worker {
  readonly #host: ExecutorHost;
  readonly #queue: Queue;
  readonly #pool: string;
  readonly #maintenance: Maintenance;
  readonly #deliveries: Deliveries;
  readonly #handingOver: { stop(): Promise<void> } | undefined;
  /** Parts that have not stopped yet. */
  readonly #stopping = new Set<string>();
  #closing = false;

  private constructor(
    host: ExecutorHost,
    queue: Queue,
    registered: Registered,
    config: Config,
    handingOver: { stop(): Promise<void> } | undefined,
  ) {
    const { log, capacity } = host;
    this.#host = host;
    this.#queue = queue;
    this.#pool = registered.executor.pool;
    this.#maintenance = new Maintenance(log, maintenanceSteps(queue, registered, config));
    this.#deliveries = deliveries(host, this.#pool, config);
    this.#handingOver = handingOver;
    void registered.liveness.lost.then(() => this.#giveUp('the connection with the liveness lock is lost'));
    queue.ended.then(
      () => this.#giveUp('the queue has stopped'),
      (error) => this.#giveUp(`the queue has stopped: ${error}`),
    );
    log.info({ ...readBuild(), pool: this.#pool, concurrency: capacity.concurrency }, 'worker ready');
  }

  /**
   * Starts a worker, which takes jobs until it is closed.
   * @param abort ends the wait for the database: throws its reason
   * @param handsOver the worker runs all jobs but transfers, which go elsewhere
   */
  static async start(config: Config, abort?: AbortSignal, handsOver?: HandsOver): Promise<Worker> {
    const host = await ExecutorHost.open(config, abort);
    let queue: Queue | undefined;
    try {
      const registered = Promise.withResolvers<Registered>();
      const executor = registered.promise.then((one) => one.executor);
      // a failure is thrown below, when the queue has opened and can be stopped
      executor.catch(() => {});
      queue = await Queue.open({
        databaseUrl: host.databaseUrl,
        allocator: new Allocator(host.capacity),
        shortJobsWait: () => shortJobsWait(host.db),
        tasks: (admission) => taskList(host, executor, admission, config, handsOver === undefined),
        crontab: CRONTAB,
        log: host.log,
        beforeFirstJob: (pool, admission) =>
          register(host, pool, admission, handsOver?.takes).then(registered.resolve, registered.reject),
      });
      const [ready] = await Promise.all([registered.promise, handsOver === undefined && host.warm()]);
      return new Worker(host, queue, ready, config, await handsOver?.open(host, ready));
    } catch (error) {
      await queue?.stop().catch(() => {});
      await host.close().catch(() => {});
      await host.releaseDatabase();
      throw error;
    }
  }

  /** Resolves when the address of the embedded database changed: the process must restart. */
  get databaseMoved(): Promise<void> {
    return this.#host.moved;
  }

  /** Takes no more jobs, aborts the conversions under way and hands them back, all within seconds. */
  async close(): Promise<void> {
    this.#closing = true;
    const patience = new Patience(PATIENCE_MS);
    patience.start();
    try {
      if (await Promise.race([this.#drain().then(() => true), patience.over])) return;
    } finally {
      patience.stop();
      await this.#host.releaseDatabase();
    }
    this.#host.log.error(
      { pool: this.#pool, parts: [...this.#stopping] },
      'the worker could not stop in time; other workers take over its transfers',
    );
    process.exit(1);
  }

  async #drain() {
    // repeated, because the queue may just be starting a job
    const repeated = setInterval(() => this.#host.stopRuns(), 100);
    // Side by side: on a busy machine each may wait seconds for its statements. When this worker is gone, the others
    // take over whatever a part has left behind because it failed.
    await Promise.all([
      this.#stop('queue', () => {
        const stopped = this.#queue.stop();
        this.#host.stopRuns();
        return stopped;
      }),
      this.#stop('deliveries', () => this.#deliveries.stop()),
      this.#stop('maintenance', () => this.#maintenance.stop()),
      this.#stop('handing over', async () => this.#handingOver?.stop()),
    ]);
    clearInterval(repeated);
    this.#stopping.add('connections');
    await this.#host.close();
  }

  async #stop(part: string, work: () => Promise<unknown>) {
    this.#stopping.add(part);
    try {
      await work();
    } catch (error) {
      this.#host.log.warn({ pool: this.#pool, part, err: error }, 'a part of the worker failed as it stopped');
    }
    this.#stopping.delete(part);
  }

  #giveUp(why: string) {
    if (this.#closing) return;
    this.#host.log.fatal({ pool: this.#pool }, why);
    process.exit(1); // its children end with it, and other workers take over its transfers
  }
}

/** Takes the liveness lock and gives `admission` the first snapshot of the queue. */
async function register(
  host: ExecutorHost,
  pool: string,
  admission: Admission,
  handsOver: HandsOver['takes'] | undefined,
): Promise<Registered> {
  const { executor, liveness } = await host.register(pool, { queued: true, handsOver });
  const draining = new Draining(host.db, pool);
  await draining.poll();
  admission.update({ ...(await getQueueSnapshot(host.db, pool)), draining: draining.now });
  return { executor, liveness, draining };
}

function taskList(
  host: ExecutorHost,
  executor: Promise<Executor>,
  admission: Admission,
  config: Config,
  runsTransfers: boolean,
): TaskList {
  const { db, log } = host;
  return {
    // a worker fetches only jobs of its tasks
    ...(runsTransfers ? { runTransfer: runTransferTask(executor, admission) } : {}),
    drawVectorOverview: drawVectorOverviewTask(executor, admission, config['tiles.keptBytes']),
    makePreview: makePreviewTask(executor, admission, config),
    ...shortJobs(admission, {
      removeSpentBlobs: removeSpentBlobsTask(executor),
      cleanUp: cleanUpTask(executor, config, log),
      sweepRecycleBin: sweepRecycleBinTask(executor, config['recycleBin.retention']),
      expireCredits: expireCreditsTask(executor),
      drawThumbnails: drawThumbnailsTask(executor, admission),
      verifyBlobs: verifyBlobsTask(executor, config['blobs.verifyInterval']),
      sendAccountMail: sendAccountMailTask({ db, mailer: openMailer(config), settings: config, log }),
    }),
  };
}

function maintenanceSteps(queue: Queue, { executor, draining }: Registered, config: Config): Step[] {
  const { db, pool, log } = executor;
  const rules = startRules(config);
  const drains = () => draining.poll();
  const snapshot = async () =>
    queue.admission.update({ ...(await getQueueSnapshot(db, pool)), draining: draining.now });
  async function unlock() {
    if ((await db.transaction((tx) => unlockUnheld(tx, pool, [...queue.jobIds], UNHELD_MS))) === 0) return;
    log.warn({}, 'unlocked jobs that this worker had locked but does not run');
    await notifyWorkers(db);
  }
  return [
    { part: 'drains', work: drains },
    ...transferSteps(executor, { patience: config['transfers.patience'], data: config.data }),
    { part: 'snapshot', work: snapshot },
    { part: 'jobs', seldom: true, work: unlock },
    { part: 'retries', work: () => followMassRetries(db, rules, config['tokens.defaultScopes']) },
    { part: 'counters', seldom: true, work: () => countEndedTransfers(db) },
  ];
}

const deliveries = ({ db, outbound, sealer, log }: ExecutorHost, pool: string, config: Config) =>
  new Deliveries({
    db,
    pool,
    outbound,
    sealer,
    timeoutMs: config['webhooks.timeout'],
    retryAfterMs: config['webhooks.retryAfter'],
    disableAfterMs: config['webhooks.disableAfter'],
    log,
  });
