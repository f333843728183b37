import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { ByteRange } from './blobs.ts';

/** Connections in a row that may bring no byte. */
const TRIES = 4;
const FIRST_PAUSE_MS = 100;
/** Without a byte for this long, a connection is given up. */
const IDLE_MS = 60_000;

export interface SteadyRead {
  /** For error messages. */
  name: string;
  range: ByteRange;
  /** Opens the range from a later start. An AppError is final; after any other error the range is opened again. */
  open(range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  idleMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The bytes of a range, in order and complete. After a connection breaks or falls silent, another one continues where it stopped. Throws the
 * reason of `signal`.
 */
export async function* readSteadily({ name, range, open, idleMs = IDLE_MS, signal }: SteadyRead) {
  const size = range.end - range.start + 1;
  let have = 0;
  for (let failures = 0; have < size; ) {
    const before = have;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error(`${name}: no byte came for ${idleMs} ms.`)), idleMs);
    try {
      const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
      for await (const chunk of await open({ start: range.start + have, end: range.end }, stop)) {
        if (have + chunk.length > size) throw new Error(`${name}: more than the requested ${size} bytes came.`);
        have += chunk.length;
        yield chunk;
        timer.refresh();
      }
      if (have < size) throw new Error(`${name}: the bytes ended after ${have} of ${size}.`);
    } catch (error) {
      signal?.throwIfAborted();
      failures = have > before ? 1 : failures + 1;
      if (error instanceof AppError || failures === TRIES) throw error;
      const pause = FIRST_PAUSE_MS * 2 ** failures;
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    } finally {
      clearTimeout(timer);
    }
  }
}
