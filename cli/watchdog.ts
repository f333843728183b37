import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** Checks per time limit. */
export const CHECKS = 30;
/**
 * A loop that waits without using CPU time is given this many times the limit: its machine may be busy, and its disk
 * slow.
 */
export const PATIENCE = 10;

/** Data that the watchdog thread shares with the main thread. */
export interface Watched {
  /** Counter of heartbeats of the event loop; and 1 while a debugger is attached, which may pause it. */
  heartbeats: Int32Array<SharedArrayBuffer>;
  checkMs: number;
  limitMs: number;
}

/**
 * Kills this process when its event loop hangs, so that it can be restarted: when a turn of the loop has used this much
 * CPU time of its thread, or lasted `PATIENCE` times as long. Runs in a thread, because the main thread may be in an
 * endless loop. Counts the thread's own checks instead of clock time, because a suspended process does not hang. Where
 * the system does not tell the CPU time of a thread (not Linux), the checks alone count, without patience.
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
