import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** Checks per time limit. After this number of consecutive checks without a heartbeat the limit is exceeded. */
export const CHECKS = 30;

/** Data that the watchdog thread shares with the main thread. */
export interface Watched {
  /** Counter of heartbeats of the event loop; and 1 while a debugger is attached, which may pause it. */
  heartbeats: Int32Array<SharedArrayBuffer>;
  checkMs: number;
  limitMs: number;
}

/**
 * Kills this process when its event loop hangs for this long, so that it can be restarted. Runs in a thread, because the main thread may be
 * in an endless loop. Counts the thread's own checks instead of clock time, because a suspended process does not hang.
 * @param onHeartbeat called from the event loop at each heartbeat
 */
export function watchEventLoop(limitMs: number, onHeartbeat: () => void = () => {}): void {
  const heartbeats = new Int32Array(new SharedArrayBuffer(8));
  const checkMs = limitMs / CHECKS;
  const timer = setInterval(() => {
    Atomics.add(heartbeats, 0, 1);
    Atomics.store(heartbeats, 1, inspector.url() === undefined ? 0 : 1);
    onHeartbeat();
  }, checkMs / 2);
  timer.unref();
  const workerData: Watched = { heartbeats, checkMs, limitMs };
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  thread.on('error', (error) => process.emitWarning(`The watchdog of the event loop failed: ${error}`));
  thread.unref();
}
