import { pbkdf2Sync } from 'node:crypto';
import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Derivation } from './hash-threads.ts';

/** Lowest priority, so that threads that answer requests get the core first. */
const NICE = 19;

// only Linux has priorities of threads; elsewhere this would set the priority of the process
if (platform() === 'linux') setPriority(NICE);

parentPort?.on('message', ({ password, salt, iterations, length, digest }: Derivation) => {
  parentPort?.postMessage(pbkdf2Sync(password, salt, iterations, length, digest));
});
