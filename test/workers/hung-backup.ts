import { parentPort, workerData } from 'node:worker_threads';
import { Snapshot } from '../../src/operations/backup/snapshot.queries.ts';

/** A thread that begins a backup and hangs. */
const { url, hungMs } = workerData as { url: string; hungMs: number };
void Snapshot.open(url, new AbortController().signal, hungMs).then(() => {
  parentPort!.postMessage('begun');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
