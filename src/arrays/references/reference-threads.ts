import { ThreadPool } from 'hydrofiles/threads';
import { type BlobSource, BlobSources } from '../../blobs/blob-source.ts';
import type { BlobStore } from '../../blobs/blobs.ts';
import { AppError } from '../../errors.ts';
import { EXCHANGE, type ReferenceJob, type ReferenceRange } from './reference-thread.ts';

/** Threads, and documents that may wait for one, of all tenants and of one. */
const THREADS = 2;
const [MAX_WAITING, MAX_WAITING_OF_TENANT] = [60, 20];
const TIME_LIMIT_MS = 30_000;
const CACHE_BYTES = 1 << 24;
const RETRY_AFTER = 5;

/** Whose share of the threads a document takes. */
export interface ReferenceTurn {
  readonly tenant: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** One version of a file, and the address that its references name. */
export interface ReferencedBlob extends Omit<ReferenceJob, 'size'> {
  readonly blob: string;
  readonly etag: string;
}

/** Makes reference documents in threads: headers of files may be anything. */
export class ReferenceThreads {
  readonly #sources: BlobSources;
  readonly #pool = new ThreadPool<ReferenceJob, Uint8Array, ReferenceRange, Uint8Array>(
    new URL('./reference-thread.ts', import.meta.url),
    {
      concurrency: THREADS,
      hasSpare: true,
      maxWaiting: MAX_WAITING,
      maxWaitingOfKey: MAX_WAITING_OF_TENANT,
      refusal: () =>
        new AppError('unavailable', `Too many reference documents are waiting. Try again in ${RETRY_AFTER} s.`, {
          retryAfter: RETRY_AFTER,
        }),
    },
    { resourceLimits: { maxOldGenerationSizeMb: 512 } },
  );

  constructor(blobs: BlobStore) {
    this.#sources = new BlobSources(blobs, { cacheBytes: CACHE_BYTES, aheadBytes: 0 });
  }

  /** The text of the document in UTF-8. */
  make({ tenant, signal }: ReferenceTurn, { blob, etag, address, expires }: ReferencedBlob): Promise<Uint8Array> {
    return this.#pool.lend({ key: tenant, signal }, async (thread) => {
      const source = await this.#sources.open(blob, { etag, signal });
      const late = new AppError('unprocessable', `The header could not be read within ${TIME_LIMIT_MS / 1000} s.`);
      const limit = setTimeout(() => void thread.end(late), TIME_LIMIT_MS);
      // a thread takes bytes that it does not get for a malformed file
      let unread: { readonly reason: unknown } | undefined;
      const reply = (range: ReferenceRange) =>
        answer(source, range).catch((reason: unknown) => {
          unread ??= { reason };
          throw reason;
        });
      try {
        const text = await thread.run({ size: source.size, address, expires }, { signal, reply });
        if (unread === undefined) return text;
        throw unread.reason;
      } catch (error) {
        throw unread === undefined ? error : unread.reason;
      } finally {
        clearTimeout(limit);
        await source.close();
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.close(new AppError('unavailable', 'The server is closing.'));
  }
}

/** The bytes of a range, as a message or in the shared memory of a thread that waits. */
async function answer(source: BlobSource, { offset, length, into }: ReferenceRange): Promise<Uint8Array> {
  if (into === undefined) return source.read(offset, length);
  const state = new Int32Array(into, 0, 2);
  let end: number = EXCHANGE.failed;
  try {
    const bytes = await source.read(offset, length);
    new Uint8Array(into, EXCHANGE.headBytes).set(bytes);
    Atomics.store(state, EXCHANGE.length, bytes.length);
    end = EXCHANGE.filled;
    return new Uint8Array(0);
  } finally {
    Atomics.store(state, EXCHANGE.state, end);
    Atomics.notify(state, EXCHANGE.state);
  }
}
