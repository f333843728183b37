import type { Config } from '../src/config.ts';
import { deliverEvents } from '../src/events/deliver.ts';
import { CRON, notifyWorkers, shortJobsWait } from '../src/jobs.ts';
import { openGates } from '../src/licensing/gates.ts';
import { countEndedTransfers } from '../src/operations/metrics/count-transfers.ts';
import { followMassRetries } from '../src/operations/retries/mass-retry.ts';
import { openMailer } from '../src/platform/mail/mail.ts';
import { createLog } from '../src/platform/telemetry/log.ts';
import { getQueueSnapshot } from '../src/transfers/queue/snapshot.queries.ts';
import { unlockUnheld } from '../src/transfers/queue/sweep.queries.ts';
import type { Executor } from '../src/transfers/run/executor.ts';
import type { Admission } from './admission.ts';
import { openAllocator } from './allocator.ts';
import { type Draining, watchDraining } from './draining.ts';
import { openExecutorHost } from './executor-host.ts';
import type { Liveness } from './liveness.ts';
import { maintain, transferSteps } from './maintenance.ts';
import { openPatience } from './patience.ts';
import { shortJobs, takeJobs } from './queue.ts';
import { cleanUpTask } from './tasks/clean-up.ts';
import { drawVectorOverviewTask } from './tasks/draw-vector-overview.ts';
import { expireCreditsTask } from './tasks/expire-credits.ts';
import { removeSpentBlobsTask } from './tasks/remove-spent-blobs.ts';
import { runTransferTask } from './tasks/run-transfer.ts';
import { sendAccountMailTask } from './tasks/send-account-mail.ts';
import { sweepRecycleBinTask } from './tasks/sweep-recycle-bin.ts';
import { verifyBlobsTask } from './tasks/verify-blobs.ts';

/** A worker process that takes jobs. */
export interface Worker {
  /** Resolves when the address of the embedded database changed: the process must restart. */
  databaseMoved: Promise<void>;
  /** Takes no more jobs, aborts the conversions under way and hands them back, all within seconds. */
  close(): Promise<void>;
}

/** Time to stop; the platform as a whole has ten seconds. */
const PATIENCE_MS = 7000;
/** How long a locked queue row may take to reach the process that locked it. */
const UNHELD_MS = 10_000;
const CRONTAB = Object.entries(CRON)
  .map(([name, schedule]) => `${schedule} ${name}`)
  .join('\n');

/**
 * Starts a worker, which takes jobs until it is closed. Any number of workers may run, on any machines.
 * @param abort ends the wait for the database: throws its reason
 */
export async function work(config: Config, abort?: AbortSignal): Promise<Worker> {
  const log = createLog(config['log.level']);
  const host = await openExecutorHost(config, log, abort);
  const { db, capacity, outbound } = host;
  const living = Promise.withResolvers<Liveness>();
  const performing = Promise.withResolvers<Executor>();
  const draining = Promise.withResolvers<Draining>();
  async function begin(pool: string, admission: Admission) {
    const { executor, liveness } = await host.register(pool, true);
    living.resolve(liveness);
    const watched = watchDraining(db, pool);
    await watched.poll();
    admission.update({ ...(await getQueueSnapshot(db, pool)), draining: watched.now });
    draining.resolve(watched);
    performing.resolve(executor);
  }
  /** Closes what is open when the start fails. */
  const abandon = async (error: unknown): Promise<never> => {
    await host.close().catch(() => {});
    await host.releaseDatabase();
    throw error;
  };
  const opening = takeJobs({
    databaseUrl: host.databaseUrl,
    allocator: openAllocator(capacity),
    shortJobsWait: () => shortJobsWait(db),
    tasks: (admission) => ({
      runTransfer: runTransferTask(performing.promise, admission),
      drawVectorOverview: drawVectorOverviewTask(performing.promise, admission, config['tiles.keptBytes']),
      ...shortJobs(admission, {
        removeSpentBlobs: removeSpentBlobsTask(performing.promise),
        cleanUp: cleanUpTask(performing.promise, config, log),
        sweepRecycleBin: sweepRecycleBinTask(performing.promise, config['recycleBin.retention']),
        expireCredits: expireCreditsTask(performing.promise),
        verifyBlobs: verifyBlobsTask(performing.promise, config['blobs.verifyInterval']),
        sendAccountMail: sendAccountMailTask({ db, mailer: openMailer(config), settings: config, log }),
      }),
    }),
    crontab: CRONTAB,
    log,
    async beforeFirstJob(pool, admission) {
      try {
        await begin(pool, admission);
      } catch (error) {
        living.reject(error);
        performing.reject(error);
      }
    },
  });
  const queue = await opening.catch(abandon);
  const begun = Promise.all([living.promise, performing.promise, host.warm()]);
  const [liveness, executor] = await begun.catch(async (error) => {
    await queue.stop().catch(() => {});
    return abandon(error);
  });
  const { pool } = executor;

  const rules = {
    gates: openGates(config['features.gates']),
    prices: config['credits.prices'],
    timeLimit: config['transfers.timeLimit'],
  };
  const drains = await draining.promise;
  const { runs, transfers } = transferSteps({
    executor,
    patience: config['transfers.patience'],
    data: config.data,
    log,
  });
  const maintenance = maintain(log, [
    { part: 'drains', work: () => drains.poll() },
    runs,
    transfers,
    {
      part: 'snapshot',
      work: async () => queue.admission.update({ ...(await getQueueSnapshot(db, pool)), draining: drains.now }),
    },
    { part: 'jobs', seldom: true, work: unlock },
    { part: 'retries', work: () => followMassRetries(db, rules, config['tokens.defaultScopes']) },
    { part: 'counters', seldom: true, work: () => countEndedTransfers(db) },
  ]);
  async function unlock() {
    if ((await db.transaction((tx) => unlockUnheld(tx, pool, [...queue.jobIds], UNHELD_MS))) === 0) return;
    log.warn({}, 'unlocked jobs that this worker had locked but does not run');
    await notifyWorkers(db);
  }
  const delivering = deliverEvents({
    db,
    pool,
    outbound,
    sealer: host.sealer,
    timeoutMs: config['webhooks.timeout'],
    retryAfterMs: config['webhooks.retryAfter'],
    disableAfterMs: config['webhooks.disableAfter'],
    log,
  });
  log.info({ pool, concurrency: capacity.concurrency }, 'worker ready');

  let closing = false;
  const giveUp = (why: string) => {
    if (closing) return;
    log.fatal({ pool }, why);
    process.exit(1); // its children end with it, and other workers take over its transfers
  };
  void liveness.lost.then(() => giveUp('the connection with the liveness lock is lost'));
  queue.ended.then(
    () => giveUp('the queue has stopped'),
    (error) => giveUp(`the queue has stopped: ${error}`),
  );

  /** What has not stopped yet. */
  const stopping = new Set<string>();
  async function stop(part: string, work: () => Promise<unknown>) {
    stopping.add(part);
    try {
      await work();
    } catch (error) {
      log.warn({ pool, part, err: error }, 'a part of the worker failed as it stopped');
    }
    stopping.delete(part);
  }
  async function drain() {
    // repeated, because the queue may just be starting a job
    const repeated = setInterval(host.stopRuns, 100);
    // Side by side: on a busy machine each may wait seconds for its statements. When this worker is gone, the others
    // take over whatever a part has left behind because it failed.
    await Promise.all([
      stop('queue', () => {
        const stopped = queue.stop();
        host.stopRuns();
        return stopped;
      }),
      stop('deliveries', delivering.stop),
      stop('maintenance', maintenance.stop),
    ]);
    clearInterval(repeated);
    stopping.add('connections');
    await host.close();
  }
  return {
    databaseMoved: host.moved,
    async close() {
      closing = true;
      const patience = openPatience(PATIENCE_MS);
      patience.start();
      const drained = await Promise.race([drain().then(() => true), patience.over]).finally(() => {
        patience.stop();
        return host.releaseDatabase();
      });
      if (drained) return;
      log.error(
        { pool, parts: [...stopping] },
        'the worker could not stop in time; other workers take over its transfers',
      );
      process.exit(1);
    },
  };
}
