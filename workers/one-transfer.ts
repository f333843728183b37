import { randomUUID } from 'node:crypto';
import type { Config } from '../src/config.ts';
import { isDrained } from '../src/operations/workers/queries.ts';
import { runAll } from '../src/platform/async/run-all.ts';
import { notifyEnded } from '../src/transfers/ends/notices.queries.ts';
import { type OneResult, performOne } from '../src/transfers/run/perform-one.ts';
import { ExecutorHost } from './executor-host.ts';
import { Maintenance, transferSteps } from './maintenance.ts';
import { Patience } from './patience.ts';

/** Time to hand back and close; container schedulers usually kill a process after ten seconds. */
const PATIENCE_MS = 7000;

type Step = () => Promise<unknown>;

/**
 * Performs one transfer in this process, outside of the queue: claims it if it waits and fits, runs one attempt, and
 * returns the outcome. Ends the process if it loses its liveness lock, or if it cannot hand the transfer back in time.
 * @param stop asks to hand the transfer back
 */
export async function performTransfer(config: Config, id: string, stop: AbortSignal): Promise<OneResult> {
  const host = await ExecutorHost.open({ ...config, 'worker.concurrency': 1 }, stop, true).catch((error: unknown) => {
    if (error !== stop.reason) throw error;
    return undefined;
  });
  if (host === undefined)
    return { outcome: 'waiting', message: `Transfer '${id}' was not started: the worker was asked to stop.` };
  const { log } = host;
  const patience = new Patience(PATIENCE_MS);
  stop.addEventListener('abort', () => patience.start(), { once: true });
  if (stop.aborted) patience.start();
  const closing: Step[] = [() => host.close(), () => host.releaseDatabase()];
  try {
    const performing = performOn(host, config, id, stop, (step) => void closing.unshift(step));
    const result = await Promise.race([performing, patience.over]);
    if (result === undefined) {
      log.error({ transferId: id }, 'the worker could not stop in time; other workers take over its transfer');
      process.exit(1);
    }
    return result;
  } finally {
    patience.start();
    // A close that fails or takes too long does not change the outcome of the transfer; the process ends anyway.
    const closed = runAll(closing).catch((error) => log.warn({ err: error }, 'the worker could not close completely'));
    await Promise.race([closed, patience.over]);
    patience.stop();
  }
}

/** @param beforeClose registers a step to take before the host is closed */
async function performOn(
  host: ExecutorHost,
  config: Config,
  id: string,
  stop: AbortSignal,
  beforeClose: (step: Step) => void,
): Promise<OneResult> {
  const { db, log, capacity } = host;
  const pool = `one-${randomUUID()}`;
  const { executor, liveness } = await host.register(pool, { queued: false });
  let done = false;
  void liveness.lost.then(() => {
    if (done) return;
    log.fatal({ pool, transferId: id }, 'the connection with the liveness lock is lost');
    process.exit(1); // its child ends with it, and other workers take over the transfer
  });
  try {
    const patience = config['transfers.patience'];
    const maintenance = new Maintenance(log, transferSteps(executor, { patience, data: config.data }));
    stop.addEventListener('abort', () => host.stopRuns());
    void host.moved.then(() => host.stopRuns());
    const ended: string[] = [];
    beforeClose(async () => {
      await maintenance.stop();
      if (ended.length > 0) await notifyEnded(db, ended).catch(() => {});
    });
    // collected, because a delayed notification would be lost with the process
    const announce = (one: string) => void ended.push(one);
    return await performOne({ ...executor, announce }, capacity, id, stop, () => isDrained(db, pool));
  } finally {
    done = true;
  }
}
