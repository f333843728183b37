import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** Looks per time limit: each that finds no beat since the one before counts, and so many of them in a row are the limit. */
export const LOOKS = 30;

/** What the watching thread shares with the process. */
export interface Watched {
  /** How often the event loop has turned; and 1 while a debugger may hold it. */
  beats: Int32Array<SharedArrayBuffer>;
  lookMs: number;
  limitMs: number;
}

/**
 * Ends this process by SIGKILL when its event loop has not turned for this long: a hang is for ever, its successor works. A thread looks, for
 * the main one may spin in a loop. Time is counted in the thread's own looks and not by a clock: a process that was stopped, or slept with
 * its machine, has not hung.
 * @param beat is called with each beat, from the event loop
 */
export function watchEventLoop(limitMs: number, beat: () => void = () => {}): void {
  const beats = new Int32Array(new SharedArrayBuffer(8));
  const lookMs = limitMs / LOOKS;
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1);
    Atomics.store(beats, 1, inspector.url() === undefined ? 0 : 1);
    beat();
  }, lookMs / 2);
  timer.unref();
  const workerData: Watched = { beats, lookMs, limitMs };
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  thread.on('error', (error) => process.emitWarning(`Nobody watches the event loop: ${error}`));
  thread.unref();
}
