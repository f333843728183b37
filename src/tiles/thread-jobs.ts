import { parentPort } from 'node:worker_threads';
import { ConversionError, FormatError } from 'hydrofiles/errors';
import { DrawingCancelled, type FromThread, type ToThread } from './draw-threads.ts';

/** What a job in a drawing thread may use. */
export interface ThreadJob {
  /** Reads the source of the job. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Throws if nobody waits for the tile any more. */
  throwIfCancelled(): void;
}

/** Answers the jobs that are posted to this thread, one at a time. */
export function answerJobs<Job>(draw: (job: Job, context: ThreadJob) => Promise<Uint8Array | undefined>): void {
  const port = parentPort;
  if (port === null) return;
  const post = (message: FromThread) => port.postMessage(message);
  const reads = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>();
  let count = 0;
  const read = (offset: number, length: number) =>
    new Promise<Uint8Array>((resolve, reject) => {
      count++;
      reads.set(count, { resolve, reject });
      post({ kind: 'read', number: count, offset, length });
    });
  port.on('message', (message: ToThread) => {
    if (message.kind === 'draw') {
      const { cancelled } = message;
      const throwIfCancelled = () => {
        if (Atomics.load(cancelled, 0) === 1) throw new DrawingCancelled();
      };
      draw(message.job as Job, { read, throwIfCancelled }).then(
        (bytes) => post({ kind: 'done', bytes }),
        (error: unknown) => post({ kind: 'error', ...described(error) }),
      );
      return;
    }
    const waiting = reads.get(message.number);
    reads.delete(message.number);
    if (message.kind === 'bytes') waiting?.resolve(message.bytes);
    else waiting?.reject(new Error(message.sentence));
  });
}

function described(error: unknown): Omit<Extract<FromThread, { kind: 'error' }>, 'kind'> {
  // a coordinate system that is not known is a wrong request elsewhere, and here a fault of the file
  if (error instanceof FormatError || error instanceof ConversionError)
    return { sentence: error.message, cause: 'format' };
  if (error instanceof DrawingCancelled) return { sentence: error.message, cause: 'cancelled' };
  return { sentence: error instanceof Error ? (error.stack ?? error.message) : String(error), cause: 'other' };
}
