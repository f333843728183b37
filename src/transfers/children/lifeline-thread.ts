import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Reads from the pipe to the worker, blocking, until the worker ends and so closes it; then kills this process. A
 * thread of its own, because the main thread may be in an endless loop.
 */
const { descriptor } = workerData as { descriptor: number };
const byte = new Uint8Array(1);
const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort?.postMessage('watching');
for (let open = true; open; ) {
  try {
    open = readSync(descriptor, byte) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
    Atomics.wait(pause, 0, 0, 100);
  }
}
process.kill(process.pid, 'SIGKILL');
