import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBlobStore } from '../src/blobs/open.ts';
import type { Config } from '../src/config.ts';
import { Database } from '../src/db.ts';
import { sealClear } from '../src/operations/secrets/seal-clear.ts';
import { runAll } from '../src/platform/async/run-all.ts';
import { openKeyStore } from '../src/platform/keys/encrypt-keys.ts';
import { Sealer } from '../src/platform/keys/sealing.ts';
import { Outbound } from '../src/platform/net/outbound.ts';
import { type OpenDatabase, OWNS_TABLES, openDatabase } from '../src/platform/postgres/database.ts';
import { createLog } from '../src/platform/telemetry/log.ts';
import { openTracing } from '../src/platform/telemetry/open-tracing.ts';
import type { Tracing } from '../src/platform/telemetry/tracing.ts';
import { Children } from '../src/transfers/children/children.ts';
import { announcer } from '../src/transfers/ends/announce.ts';
import { CANCEL } from '../src/transfers/ends/notices.queries.ts';
import type { WorkerCapacity } from '../src/transfers/queue/requirements.ts';
import { DEFAULT_MEMORY_MB } from '../src/transfers/queue/resource-request.ts';
import type { Executor } from '../src/transfers/run/executor.ts';
import type { CheckedBlobs } from '../src/transfers/store/checked-blobs.ts';
import { openOwnStore, storeSettings } from '../src/transfers/store/owner.ts';
import type { WorkerRecord } from './liveness.queries.ts';
import { Liveness } from './liveness.ts';
import { makeScratch, removeScratch } from './scratch.ts';
import { overcommitment, workerCapacity } from './worker-capacity.ts';

type Log = ReturnType<typeof createLog>;

/** The transaction that writes series may have the only connection for long. */
const ONE_CONNECTION_MS = 10 * 60_000;

interface Opened {
  config: Config;
  log: Log;
  database: OpenDatabase;
  capacity: WorkerCapacity;
  db: Database;
  blobs: CheckedBlobs;
  sealer: Sealer;
  tracing: Tracing;
}

/**
 * Everything that a process needs to perform transfers: database, blob store, child processes, and registration as a
 * worker.
 */
export class ExecutorHost {
  readonly #opened: Opened;
  readonly #children: Children;
  readonly #running: Executor['running'] = new Map();
  readonly #abandoned: Executor['abandoned'] = new Set();
  #liveness: Liveness | undefined;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly capacity: WorkerCapacity;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  readonly log: Log;
  /** Resolves when the address of the embedded database changed: the process must restart. */
  readonly moved: Promise<void>;

  private constructor(opened: Opened) {
    const { config, log, database, capacity, db, sealer } = opened;
    this.#opened = opened;
    this.#children = new Children({
      memoryMb: DEFAULT_MEMORY_MB,
      maxIdle: capacity.concurrency,
      compileCache: join(config.data, 'compile-cache'),
    });
    this.db = db;
    this.databaseUrl = database.url;
    this.capacity = capacity;
    this.outbound = new Outbound(config['outbound.allow']);
    this.sealer = sealer;
    this.log = log;
    this.moved = database.moved;
  }

  /**
   * Opens the database, applies pending migrations, and opens the blob store.
   * @param stop ends the wait for the database: throws its reason
   * @param runsOne the process runs one transfer: with that of the liveness lock, it has two connections
   */
  static async open(config: Config, stop?: AbortSignal, runsOne = false): Promise<ExecutorHost> {
    const log = createLog(config['log.level']);
    await checkBlobStore(config['blobs.url']);
    const database = await openDatabase(config, stop);
    if (database.ownsTables) log.warn({}, OWNS_TABLES);
    const opened = [database.close];
    try {
      await mkdir(config.data, { recursive: true });
      const capacity = await workerCapacity(config);
      const { concurrency } = capacity;
      // enough connections that commits of several transfers are flushed together
      const size = runsOne ? 1 : concurrency + 4;
      const db = new Database(database.url, size, 'platform work', runsOne ? ONE_CONNECTION_MS : undefined);
      opened.unshift(() => db.end());
      const blobs = await openOwnStore(db, storeSettings(config), log);
      const sealer = await Sealer.open(db, await openKeyStore(db, config, log));
      await sealClear({ db, sealer, secondFactorKey: config['twoFactor.metadataKey'] });
      const tracing = await openTracing(config, 'worker');
      return new ExecutorHost({ config, log, database, capacity, db, blobs, sealer, tracing });
    } catch (error) {
      await runAll(opened).catch(() => {});
      throw error;
    }
  }

  /** Starts a child process before the first transfer needs it. */
  warm(): Promise<void> {
    return this.#children.warm();
  }

  /**
   * Takes the liveness lock of this pool and inserts the worker's row, without which it can claim no transfer. Call it
   * once.
   * @param how whether it takes transfers from the queue, else other workers do not wait for its capacity; and whether
   *   it hands transfers to a cluster
   */
  async register(
    pool: string,
    how: Pick<WorkerRecord, 'queued' | 'handsOver'>,
  ): Promise<{ executor: Executor; liveness: Liveness }> {
    const { config, log, capacity, db, blobs, sealer, tracing } = this.#opened;
    const stopCancelled = (id: string) => this.#running.get(id)?.stop('cancelled');
    const liveness = await Liveness.take(
      this.databaseUrl,
      { pool, ...how, ...capacity, host: config['worker.host'], node: config['worker.node'] },
      CANCEL,
      stopCancelled,
    );
    this.#liveness = liveness;
    const claimed = overcommitment(liveness.claims);
    if (claimed !== undefined) log.warn({ pool, ...liveness.claims }, claimed);
    const executor: Executor = {
      db,
      blobs,
      convert: this.#children.convert,
      inspect: this.#children.inspect,
      draw: this.#children.draw,
      writeOverview: this.#children.writeOverview,
      sources: {
        sealer,
        outbound: this.outbound,
        maxSize: config['uploads.maxSize'],
        idleMs: config['outbound.idleTimeout'],
      },
      log,
      pool,
      scratch: await makeScratch(config.data, pool),
      scratchGb: Math.max(1, capacity.scratchGb),
      cores: capacity.cores,
      timeLimit: config['transfers.timeLimit'],
      running: this.#running,
      unwritten: new Map(),
      abandoned: this.#abandoned,
      announce: announcer(db),
      tracing,
    };
    return { executor, liveness };
  }

  /** Stops all runs of this process and hands their transfers back. */
  stopRuns(): void {
    for (const run of this.#running.values()) run.stop('shutdown');
  }

  /** Ends the child processes, deregisters the worker, and closes its connections. May hang if the database does. */
  close(): Promise<void> {
    const { config, tracing, db } = this.#opened;
    const liveness = this.#liveness;
    return runAll([
      () => this.#children.close(new Error('the worker stops')),
      // a later run would use the folder of a worker that has closed
      () => Promise.allSettled(this.#abandoned),
      async () => liveness && removeScratch(config.data, liveness.pool),
      () => tracing.close(),
      async () => liveness?.close(),
      () => db.end(),
    ]);
  }

  /** Releases the embedded database server, after `close` or instead of it. */
  releaseDatabase(): Promise<void> {
    return this.#opened.database.close();
  }
}
