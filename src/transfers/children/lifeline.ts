import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The pipe from the worker, after standard input, output and error. Nothing is ever sent through it. */
export const LIFELINE = 3;

/** Makes a child process end with the worker that started it, however the worker ends. Call it in the child. */
export async function endWithWorker(): Promise<void> {
  const thread = new Worker(new URL('./lifeline-thread.ts', import.meta.url), {
    workerData: { descriptor: LIFELINE },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  await once(thread, 'message');
  thread.unref();
  // a normal exit would wait for the thread, which is blocked
  process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
}
