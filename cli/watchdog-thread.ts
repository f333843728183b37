import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

const { heartbeats, checkMs, limitMs } = workerData as Watched;
const CHECKS = Math.round(limitMs / checkMs);
const FATAL = 60;
const never = new Int32Array(new SharedArrayBuffer(4));

let silent = 0;
for (let seen = -1; silent < CHECKS; ) {
  Atomics.wait(never, 0, 0, checkMs);
  const [now = 0, debugged = 0] = [Atomics.load(heartbeats, 0), Atomics.load(heartbeats, 1)];
  silent = now === seen && debugged === 0 ? silent + 1 : 0;
  seen = now;
}
// in the format of the log, which belongs to the main thread
const msg = `The event loop has been blocked for ${limitMs / 1000} s. This process is killed.`;
writeSync(2, `${JSON.stringify({ level: FATAL, time: Date.now(), msg })}\n`);
process.kill(process.pid, 'SIGKILL');
