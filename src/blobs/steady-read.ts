import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, notFound } from '../errors.ts';
import type { BlobStore, ByteRange } from './blobs.ts';

/** Maximum number of consecutive connections without a byte. */
const MAX_FAILURES = 4;
const FIRST_PAUSE_MS = 100;
/**
 * A connection that delivers no byte for this time is closed. The time in which the reader works on a chunk does not
 * count.
 */
const IDLE_MS = 60_000;

export interface SteadyRead {
  /** Name of the blob in error messages. */
  name: string;
  range: ByteRange;
  /** Opens the rest of the range. An AppError is permanent; after any other error, the rest is opened again. */
  open(range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  idleMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads a range completely and in order. If a connection breaks or stalls, continues with another one at the same
 * offset. Throws the reason of `signal`.
 */
export async function* readSteadily({ name, range, open, idleMs = IDLE_MS, signal }: SteadyRead) {
  const size = range.end - range.start + 1;
  let have = 0;
  for (let failures = 0; have < size; ) {
    const before = have;
    const stalled = new AbortController();
    const watch = () =>
      setTimeout(() => stalled.abort(new Error(`${name}: no byte was received for ${idleMs} ms.`)), idleMs);
    let timer = watch();
    try {
      const stop = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
      for await (const chunk of await open({ start: range.start + have, end: range.end }, stop)) {
        if (have + chunk.length > size)
          throw new Error(`${name}: more than the requested ${size} bytes were received.`);
        have += chunk.length;
        clearTimeout(timer);
        yield chunk;
        timer = watch();
      }
      if (have < size) throw new Error(`${name}: the connection ended after ${have} of ${size} bytes.`);
    } catch (error) {
      signal?.throwIfAborted();
      failures = have > before ? 1 : failures + 1;
      if (error instanceof AppError || failures === MAX_FAILURES) throw error;
      const pause = FIRST_PAUSE_MS * 2 ** failures;
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Reads a whole blob, as `readSteadily`. Throws `notFound`. */
export async function* readWhole(store: BlobStore, name: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const info = await store.info(name);
  if (info === undefined) throw notFound('Blob', name);
  const { size, etag } = info;
  const open = (range: ByteRange, stop: AbortSignal) => store.read(name, range, etag, stop);
  yield* readSteadily({ name, range: { start: 0, end: size - 1 }, open, signal });
}
