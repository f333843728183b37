import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The pipe from the worker, after standard input, output and error. Nothing is ever sent through it. */
export const LIFELINE = 3;

/** Called in a child: from now on it ends with the worker that started it, whatever it does and however the worker ends. */
export async function endWithWorker(): Promise<void> {
  const thread = new Worker(new URL('./lifeline-thread.ts', import.meta.url), {
    workerData: { descriptor: LIFELINE },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  await once(thread, 'message');
  thread.unref();
  // An orderly exit would wait for the thread, which nothing wakes.
  process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
}
