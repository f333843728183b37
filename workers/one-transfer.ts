import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../src/config.ts';
import { isDrained } from '../src/operations/workers/queries.ts';
import { createLog } from '../src/platform/telemetry/log.ts';
import { notifyEnded } from '../src/transfers/ends/notices.queries.ts';
import type { OneResult } from '../src/transfers/run/perform-one.ts';
import { performOne } from '../src/transfers/run/perform-one.ts';
import type { ExecutorHost } from './executor-host.ts';
import { openExecutorHost } from './executor-host.ts';
import { maintain, transferSteps } from './maintenance.ts';

/** Time to hand back and close; container schedulers usually kill a process after ten seconds. */
const PATIENCE_MS = 7000;

/**
 * Performs one transfer in this process, outside of the queue: claims it if it waits and fits, runs one attempt, and returns the outcome.
 * Ends the process if it loses its liveness lock, or if it cannot stop in time.
 * @param stop asks to hand the transfer back
 */
export async function performTransfer(config: Config, id: string, stop: AbortSignal): Promise<OneResult> {
  const log = createLog(config['log.level']);
  const host = await openExecutorHost({ ...config, 'worker.concurrency': 1 }, log);
  const over = new AbortController();
  const closing = async () => {
    await sleep(PATIENCE_MS, undefined, { signal: over.signal, ref: false });
    log.error({ transferId: id }, 'the worker could not stop in time; other workers take over its transfer');
    process.exit(1);
  };
  const closeInTime = () => void closing().catch(() => {});
  stop.addEventListener('abort', closeInTime, { once: true });
  if (stop.aborted) closeInTime();
  try {
    return await performOn(host, config, id, stop);
  } finally {
    closeInTime();
    // a failed close does not change the outcome of the transfer; the process ends anyway
    await host.close().catch((error) => log.warn({ err: error }, 'the worker could not close its connections'));
    await host.releaseDatabase();
    over.abort();
  }
}

async function performOn(host: ExecutorHost, config: Config, id: string, stop: AbortSignal): Promise<OneResult> {
  const { db, log, capacity } = host;
  const pool = `one-${randomUUID()}`;
  const { executor, liveness } = await host.register(pool, false);
  let done = false;
  void liveness.lost.then(() => {
    if (done) return;
    log.fatal({ pool, transferId: id }, 'the connection with the liveness lock is lost');
    process.exit(1); // its child ends with it, and other workers take over the transfer
  });
  if (await isDrained(db, pool)) {
    done = true;
    return { outcome: 'waiting', message: `Transfer '${id}' waits: an operator drained this host or all workers.` };
  }

  const patience = config['transfers.patience'];
  const { runs, transfers } = transferSteps({ executor, patience, data: config.data, log });
  const maintenance = maintain(log, [runs, transfers]);
  stop.addEventListener('abort', host.stopRuns);
  void host.moved.then(host.stopRuns);
  const ended: string[] = [];
  try {
    // collected, because a delayed notification would be lost with the process
    const announce = (one: string) => void ended.push(one);
    return await performOne({ ...executor, announce }, capacity, id, stop);
  } finally {
    done = true;
    await maintenance.stop();
    if (ended.length > 0) await notifyEnded(db, ended).catch(() => {});
  }
}
