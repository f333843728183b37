import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Waits in a blocking read for the end of the pipe whose other end the worker holds, and ends the process then. A thread of its own,
 * because the main one may spin in a loop and hear of nothing.
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
