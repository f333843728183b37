import { pbkdf2Sync } from 'node:crypto';
import { platform, setPriority } from 'node:os';
import { answerTasks } from 'hydrofiles/threads';

/** Parameters of PBKDF2. */
export interface Derivation {
  password: string;
  salt: Uint8Array;
  iterations: number;
  /** Bytes. */
  length: number;
  digest: 'sha1' | 'sha256' | 'sha512';
}

/** Lowest priority, so that threads that answer requests get the core first. */
const NICE = 19;

// only Linux has priorities of threads; elsewhere this would set the priority of the process
if (platform() === 'linux') setPriority(NICE);

/** Derives all keys, and answers with the last. */
answerTasks((work: readonly Derivation[]): Uint8Array => {
  const keys = work.map(({ password, salt, iterations, length, digest }) =>
    pbkdf2Sync(password, salt, iterations, length, digest),
  );
  return keys.at(-1)!;
});
