import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';

interface WorkerInput {
  text: SharedArrayBuffer;
  /** Start and end of each record. */
  ranges: readonly (readonly [number, number])[];
}

/** Maximum length of the queue. One search takes about 100 ms. */
const MAX_WAITING = 100;

/**
 * Searches 25 MB of records for a substring in a worker thread, so that the event loop stays free. The thread starts
 * with the first search. Returns the indexes of the records that contain the text, in any letter case; `wanted` must be
 * in lower case.
 */
export function searchThread(
  text: SharedArrayBuffer,
  ranges: WorkerInput['ranges'],
): (wanted: string) => Promise<number[]> {
  let thread: Worker | undefined;
  const waiting: { wanted: string; resolve(found: number[]): void; reject(error: Error): void }[] = [];

  function next() {
    const [first] = waiting;
    if (first === undefined) return thread?.unref();
    if (thread === undefined) {
      const started = new Worker(new URL(import.meta.url), { workerData: { text, ranges } satisfies WorkerInput });
      started.on('message', (found: number[]) => {
        waiting.shift()?.resolve(found);
        next();
      });
      started.on('error', fail);
      started.on('exit', () => {
        // after an error, a new thread may be running already
        if (thread === started) fail(new Error('The search thread has exited.'));
      });
      thread = started;
    }
    // the thread keeps the process alive only during a search
    thread.ref();
    thread.postMessage(first.wanted);
  }
  function fail(error: Error) {
    thread = undefined;
    for (const one of waiting.splice(0)) one.reject(error);
  }

  return (wanted) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MAX_WAITING)
        return reject(
          new AppError('unavailable', `${MAX_WAITING} searches are waiting, the maximum. Try again in 2 s.`, {
            retryAfter: 2,
          }),
        );
      waiting.push({ wanted, resolve, reject });
      if (waiting.length === 1) next();
    });
}

if (!isMainThread && workerData?.ranges) {
  const { text, ranges } = workerData as WorkerInput;
  // TextDecoder rejects shared memory; `Buffer.toString` copies each record
  const bytes = Buffer.from(text);
  parentPort?.on('message', (wanted: string) => {
    const found: number[] = [];
    for (const [n, [start, end]] of ranges.entries())
      if (bytes.toString('utf8', start, end).toLowerCase().includes(wanted)) found.push(n);
    parentPort?.postMessage(found);
  });
}
