import { Worker } from 'node:worker_threads';
import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';

export interface PointWork {
  readonly from: Crs;
  readonly to: Crs;
  readonly x: Float64Array;
  readonly y: Float64Array;
}
type Transformed = Pick<PointWork, 'x' | 'y'>;

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Transforms a few points in a thread, so that a server need not load PROJ, which blocks its event loop for half a
 * second. The thread starts with the first call. A point that cannot be transformed gets NaN.
 * @throws FormatError if a CRS cannot be read or PROJ has no transformation between the two
 */
export function transformInThread(work: PointWork): Promise<Transformed> {
  const answer = last.then(() => answerOf(work));
  last = answer.catch(() => {});
  return answer;
}

function answerOf(work: PointWork): Promise<Transformed> {
  thread ??= new Worker(new URL('./point-thread.ts', import.meta.url));
  const started = thread;
  return new Promise((resolve, reject) => {
    const listeners = {
      message: (answer: Transformed | { failure: string }) =>
        settle(() => ('failure' in answer ? reject(new FormatError(answer.failure)) : resolve(answer))),
      error: (error: Error) => lost(error),
      exit: () => lost(new Error('The thread that transforms points has exited.')),
    };
    const lost = (error: Error) => {
      thread = undefined;
      settle(() => reject(error));
    };
    const settle = (end: () => void) => {
      for (const [name, listener] of Object.entries(listeners)) started.off(name, listener);
      // an idle thread does not keep the process alive
      started.unref();
      end();
    };
    for (const [name, listener] of Object.entries(listeners)) started.on(name, listener);
    started.ref();
    started.postMessage(work);
  });
}
