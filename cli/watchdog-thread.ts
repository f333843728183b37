import { readFileSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CHECKS, PATIENCE, type Watched } from './watchdog.ts';

const { heartbeats, checkMs, limitMs } = workerData as Watched;
const FATAL = 60;
const never = new Int32Array(new SharedArrayBuffer(4));

/** Clock ticks in `/proc`; the same on all architectures. */
const TICKS_PER_SECOND = 100;
/** Of the line in `/proc/…/stat` after the name of the program, which may contain anything but a second `)`. */
const [USER_TIME, SYSTEM_TIME] = [11, 12];

/** CPU time of the main thread in ms; undefined where the system does not tell it. */
function cpuTime(): number | undefined {
  try {
    const line = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** Waits until the event loop hangs, and returns how it does. */
function hang(): string {
  let silent = 0;
  let seen = -1;
  let before = cpuTime();
  for (;;) {
    Atomics.wait(never, 0, 0, checkMs);
    const [now = 0, debugged = 0] = [Atomics.load(heartbeats, 0), Atomics.load(heartbeats, 1)];
    const cpu = cpuTime();
    if (now !== seen || debugged === 1) {
      silent = 0;
      before = cpu;
      seen = now;
      continue;
    }
    silent++;
    if (cpu !== undefined && before !== undefined && cpu - before >= limitMs)
      return `blocked for ${limitMs / 1000} s of CPU time`;
    const checks = cpu === undefined ? CHECKS : CHECKS * PATIENCE;
    if (silent >= checks) return `blocked for ${(checks * checkMs) / 1000} s`;
  }
}

const how = hang();
// in the format of the log, which belongs to the main thread
const msg = `The event loop has been ${how}. This process is killed.`;
writeSync(2, `${JSON.stringify({ level: FATAL, time: Date.now(), msg })}\n`);
process.kill(process.pid, 'SIGKILL');
