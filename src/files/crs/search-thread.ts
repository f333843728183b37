import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface WorkerInput {
  text: SharedArrayBuffer;
  /** Start and end of each record. */
  ranges: readonly (readonly [number, number])[];
}

/**
 * Searches the values of 25 MB of records for a substring in a worker thread, so that the event loop stays free. The
 * thread starts with the first search. Returns the indexes of the records that contain the text, in any letter case;
 * `wanted` must be in lower case.
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
      waiting.push({ wanted, resolve, reject });
      if (waiting.length === 1) next();
    });
}

interface Values {
  /** Values of all records as a reader sees them, in lower case, each with `END` behind it. */
  values: Buffer;
  /** Where each record ends in them. */
  ends: readonly number[];
}

/** A URL cannot contain it, so no text is found across two values. */
const END = '\0';

/** Built once: JSON has member names that nobody looks for, and writes quotes in another way than people do. */
function valuesOf(json: Buffer, ranges: WorkerInput['ranges']): Values {
  const ends: number[] = [];
  const parts: Buffer[] = [];
  let length = 0;
  for (const [start, end] of ranges) {
    const lower = leavesOf(JSON.parse(json.toString('utf8', start, end)))
      .join(END)
      .toLowerCase();
    const part = Buffer.from(`${lower}${END}`);
    length += part.length;
    parts.push(part);
    ends.push(length);
  }
  return { values: Buffer.concat(parts, length), ends };
}

const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];

function recordsWith(wanted: Buffer, values: Buffer, ends: Values['ends']): number[] {
  const found: number[] = [];
  let from = 0;
  for (const [n, end] of ends.entries()) {
    // this record may lie before the text that was found last
    if (from >= end) continue;
    const at = values.indexOf(wanted, from);
    if (at === -1) break;
    if (at < end) found.push(n);
    from = Math.max(at, end);
  }
  return found;
}

if (!isMainThread && workerData?.ranges) {
  const { text, ranges } = workerData as WorkerInput;
  const { values, ends } = valuesOf(Buffer.from(text), ranges);
  parentPort?.on('message', (wanted: string) =>
    parentPort?.postMessage(recordsWith(Buffer.from(wanted), values, ends)),
  );
}
