import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBlobStore } from '../src/blobs/open.ts';
import type { Config } from '../src/config.ts';
import { connect } from '../src/db.ts';
import { deliverEvents } from '../src/events/deliver.ts';
import { CRON, choresWait } from '../src/jobs.ts';
import { openSealer } from '../src/platform/keys/sealing.ts';
import { openMailer } from '../src/platform/mail/mail.ts';
import { openOutbound } from '../src/platform/net/outbound.ts';
import { openDatabase } from '../src/platform/postgres/database.ts';
import { createLog } from '../src/platform/telemetry/log.ts';
import { openTracing } from '../src/platform/telemetry/tracing.ts';
import { announcer } from '../src/transfers/ends/announce.ts';
import { CANCEL } from '../src/transfers/ends/notices.queries.ts';
import { getOutlook } from '../src/transfers/queue/outlook.queries.ts';
import { DEFAULT_MEMORY_MB } from '../src/transfers/queue/resources.ts';
import type { RunParts } from '../src/transfers/run/perform.ts';
import { openOwnStore } from '../src/transfers/store/owner.ts';
import { openCapacity } from './capacity.ts';
import { keepChildren } from './children.ts';
import type { Draining } from './draining.ts';
import { watchDraining } from './draining.ts';
import { equipmentOf } from './equipment.ts';
import type { Gate } from './gate.ts';
import type { Liveness } from './liveness.ts';
import { proveLife } from './liveness.ts';
import { minding } from './maintenance.ts';
import { chores, takeJobs } from './queue.ts';
import { makeScratch, removeScratch } from './scratch.ts';
import { cleanUpTask } from './tasks/clean-up.ts';
import { removeSpentBlobsTask } from './tasks/remove-spent-blobs.ts';
import { runTransferTask } from './tasks/run-transfer.ts';
import { sendAccountMailTask } from './tasks/send-account-mail.ts';
import { sweepRecycleBinTask } from './tasks/sweep-recycle-bin.ts';

/** A worker process that takes jobs. */
export interface Worker {
  /** Resolves if the embedded database went to another address: the process must start anew. */
  moved: Promise<void>;
  /** Takes no more jobs, aborts the conversions under way and hands them back, all within seconds. */
  close(): Promise<void>;
}

/** What the end of everything may take, of the ten seconds that a whole platform has. */
const PATIENCE_MS = 7000;
const CRONTAB = Object.entries(CRON)
  .map(([name, schedule]) => `${schedule} ${name}`)
  .join('\n');

/** Opens the database, brings it up to date, and takes jobs until it is closed. Any number of processes may do so, on any machine. */
export async function work(config: Config): Promise<Worker> {
  const log = createLog(config['log.level']);
  await checkBlobStore(config['blobs.url']);
  const database = await openDatabase(config);
  await mkdir(config.data, { recursive: true });
  const equipment = await equipmentOf(config);
  const { concurrency } = equipment;
  // a claim or a completion of one transfer must not wait until that of another is on the disk
  const db = await connect(database.url, concurrency + 4, 'platform work', concurrency);
  const store = { url: config['blobs.url'], folder: join(config.data, 'blobs') };
  const blobs = await openOwnStore(db, store, log).catch(async (error) => {
    await db.end();
    await database.close();
    throw error;
  });
  const children = keepChildren({
    memoryMb: DEFAULT_MEMORY_MB,
    kept: concurrency,
    compileCache: join(config.data, 'compile-cache'),
  });
  const outbound = openOutbound(config['outbound.allow']);
  const tracing = await openTracing(config, 'worker');
  const running: RunParts['running'] = new Map();
  const living = Promise.withResolvers<Liveness>();
  const parts = Promise.withResolvers<RunParts>();
  const draining = Promise.withResolvers<Draining>();
  async function begin(pool: string, gate: Gate) {
    const record = { pool, ...equipment };
    const alive = await proveLife(database.url, record, CANCEL, (id) => running.get(id)?.stop('cancelled'));
    living.resolve(alive);
    const watched = watchDraining(db, pool);
    await watched.look();
    gate.learn({ ...(await getOutlook(db, pool)), draining: watched.now });
    draining.resolve(watched);
    parts.resolve({
      db,
      blobs,
      convert: children.convert,
      sources: {
        sealer: await openSealer(db),
        outbound,
        largest: config['uploads.maxSize'],
        idleMs: config['outbound.idleTimeout'],
      },
      log,
      pool,
      scratch: await makeScratch(config.data, pool),
      scratchGb: Math.max(1, equipment.scratchGb),
      cores: equipment.cores,
      timeLimit: config['transfers.timeLimit'],
      running,
      announce: announcer(db),
      tracing,
    });
  }
  const queue = await takeJobs({
    databaseUrl: database.url,
    capacity: openCapacity(equipment),
    choresWait: () => choresWait(db),
    tasks: (gate) => ({
      runTransfer: runTransferTask(parts.promise, gate),
      ...chores(gate, {
        removeSpentBlobs: removeSpentBlobsTask(parts.promise),
        cleanUp: cleanUpTask(parts.promise, config, log),
        sweepRecycleBin: sweepRecycleBinTask(parts.promise, config['recycleBin.retention']),
        sendAccountMail: sendAccountMailTask({ db, mailer: openMailer(config), settings: config, log }),
      }),
    }),
    crontab: CRONTAB,
    log,
    async beforeFirstJob(pool, gate) {
      try {
        await begin(pool, gate);
      } catch (error) {
        living.reject(error);
        parts.reject(error);
      }
    },
  });
  const begun = Promise.all([living.promise, parts.promise, children.warm()]);
  const [liveness, ready] = await begun.catch(async (error) => {
    await queue.stop().catch(() => {});
    await children.close(error);
    await db.end();
    await database.close();
    throw error;
  });
  const mind = minding({
    run: ready,
    gate: queue.gate,
    jobIds: queue.jobIds,
    patience: config['transfers.patience'],
    data: config.data,
    draining: await draining.promise,
    scopes: config['tokens.defaultScopes'],
    log,
  });
  const delivering = deliverEvents({
    db,
    pool: ready.pool,
    outbound,
    timeoutMs: config['webhooks.timeout'],
    retryAfterMs: config['webhooks.retryAfter'],
    log,
  });
  log.info({ pool: ready.pool, concurrency }, 'worker ready');

  let closing = false;
  const giveUp = (why: string) => {
    if (closing) return;
    log.fatal({ pool: ready.pool }, why);
    process.exit(1); // its children end with it; what it held is handed to others
  };
  void liveness.lost.then(() => giveUp('the connection that proves this worker alive is lost'));
  queue.ended.then(
    () => giveUp('the queue has stopped'),
    (error) => giveUp(`the queue has stopped: ${error}`),
  );

  async function drain() {
    // again and again, for a job that was just being taken
    const stop = () => running.forEach((run) => void run.stop('shutdown'));
    const repeated = setInterval(stop, 100);
    const stopped = queue.stop();
    stop();
    await delivering.stop().catch(() => {}); // what it had claimed is anybody's when this worker is struck off
    await stopped.finally(() => clearInterval(repeated));
    await mind.stop();
    await children.close(new Error('the worker stops'));
    await removeScratch(config.data, ready.pool);
    await tracing.close();
    await liveness.close();
    await db.end();
  }
  return {
    moved: database.moved,
    async close() {
      closing = true;
      const drained = await Promise.race([drain().then(() => true), sleep(PATIENCE_MS, false)]);
      await database.close();
      if (drained) return;
      log.error({ pool: ready.pool }, 'the worker could not stop in order; others take over what it held');
      process.exit(1);
    },
  };
}
