import { Worker } from 'node:worker_threads';

/** Parameters of PBKDF2. */
export interface Derivation {
  password: string;
  salt: Uint8Array;
  iterations: number;
  /** Bytes. */
  length: number;
  digest: 'sha1' | 'sha256' | 'sha512';
}

/**
 * Derives keys in worker threads, which are started on demand. Neither the event loop nor libuv's thread pool (files,
 * DNS) is blocked. The caller limits concurrency.
 */
export function hashThreads(): (work: Derivation) => Promise<Buffer> {
  const idle: Worker[] = [];
  return async (work) => {
    const thread = idle.pop() ?? new Worker(new URL('./hash-thread.ts', import.meta.url));
    // an idle thread does not keep the process alive
    thread.ref();
    const derived = await answerOf(thread, work);
    thread.unref();
    idle.push(thread);
    return derived;
  };
}

function answerOf(thread: Worker, work: Derivation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const listeners = {
      message: (derived: Uint8Array) => settle(() => resolve(Buffer.from(derived))),
      error: (error: Error) => settle(() => reject(error)),
      exit: () => settle(() => reject(new Error('A password hashing thread has exited.'))),
    };
    const settle = (end: () => void) => {
      for (const [name, listener] of Object.entries(listeners)) thread.off(name, listener);
      end();
    };
    for (const [name, listener] of Object.entries(listeners)) thread.on(name, listener);
    thread.postMessage(work);
  });
}
