import { pbkdf2Sync } from 'node:crypto';
import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Derivation } from './hash-threads.ts';

/** As far below the threads that answer requests as can be: these come first whenever both want the same core. */
const NICE = 19;

// on Linux a thread has a priority of its own; elsewhere the whole process would get it
if (platform() === 'linux') setPriority(NICE);

parentPort?.on('message', ({ password, salt, iterations, length, digest }: Derivation) => {
  parentPort?.postMessage(pbkdf2Sync(password, salt, iterations, length, digest));
});
