import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

const { beats, lookMs, limitMs } = workerData as Watched;
const LOOKS = Math.round(limitMs / lookMs);
const FATAL = 60;
const never = new Int32Array(new SharedArrayBuffer(4));

let silent = 0;
for (let seen = -1; silent < LOOKS; ) {
  Atomics.wait(never, 0, 0, lookMs);
  const [now = 0, debugged = 0] = [Atomics.load(beats, 0), Atomics.load(beats, 1)];
  silent = now === seen && debugged === 0 ? silent + 1 : 0;
  seen = now;
}
// a line as the log has them; the log itself is the main thread's
const msg = `The event loop has not turned for ${limitMs / 1000} s: this process ends.`;
writeSync(2, `${JSON.stringify({ level: FATAL, time: Date.now(), msg })}\n`);
process.kill(process.pid, 'SIGKILL');
