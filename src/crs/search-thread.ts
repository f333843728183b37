import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';

interface Told {
  text: SharedArrayBuffer;
  /** Start and end of each record. */
  ranges: readonly (readonly [number, number])[];
}

/** Searches that may wait; one takes about a tenth of a second. */
const MOST_WAITING = 100;

/**
 * Looks for a text in all records, 25 MB, in a thread of its own, so that requests do not wait for it; it is started when it is first needed.
 * Gives the numbers of the records that contain it, in any letter case; the text is in lower case.
 */
export function searchThread(text: SharedArrayBuffer, ranges: Told['ranges']): (wanted: string) => Promise<number[]> {
  let thread: Worker | undefined;
  const waiting: { wanted: string; resolve(found: number[]): void; reject(error: Error): void }[] = [];

  function next() {
    const [first] = waiting;
    if (first === undefined) return thread?.unref();
    if (thread === undefined) {
      const started = new Worker(new URL(import.meta.url), { workerData: { text, ranges } satisfies Told });
      started.on('message', (found: number[]) => {
        waiting.shift()?.resolve(found);
        next();
      });
      started.on('error', fail);
      started.on('exit', () => {
        // after an error its successor may be searching already
        if (thread === started) fail(new Error('The thread that searches has ended.'));
      });
      thread = started;
    }
    // only a search under way keeps the process alive
    thread.ref();
    thread.postMessage(first.wanted);
  }
  function fail(error: Error) {
    thread = undefined;
    for (const one of waiting.splice(0)) one.reject(error);
  }

  return (wanted) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MOST_WAITING)
        return reject(new AppError('unavailable', 'Too many searches are waiting.', { retryAfter: 2 }));
      waiting.push({ wanted, resolve, reject });
      if (waiting.length === 1) next();
    });
}

if (!isMainThread && workerData?.ranges) {
  const { text, ranges } = workerData as Told;
  // a decoder takes no shared memory, so each record is copied before it is read
  const bytes = Buffer.from(text);
  parentPort?.on('message', (wanted: string) => {
    const found: number[] = [];
    for (const [n, [start, end]] of ranges.entries())
      if (bytes.toString('utf8', start, end).toLowerCase().includes(wanted)) found.push(n);
    parentPort?.postMessage(found);
  });
}
