import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bucket, BucketError, type Parts } from './bucket.ts';

/** Pauses before each look for an object that the store may still be completing, in milliseconds. */
const PAUSES_MS = [0, 1000, 2000, 4000, 8000];

/**
 * Completes an upload in parts. The store may complete it although the answer is an error: the connection breaks, or a
 * proxy does not wait for the store. So after an error the object is complete if it has the ETag of these parts. Its
 * size would not do, because a block is replaced by another one of the same size.
 */
export async function finishParts(
  bucket: Bucket,
  parts: Parts,
  etags: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  try {
    await bucket.finishParts(parts, etags, signal);
  } catch (error) {
    const isRefusal = error instanceof BucketError && error.status < 500;
    for (const pause of isRefusal ? [0] : PAUSES_MS) {
      await sleep(pause, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
      const found = await bucket.head(parts.key, signal).catch(() => undefined);
      if (found?.headers.get('etag') === etagOf(etags)) return;
    }
    signal?.throwIfAborted();
    throw error;
  }
}

/** The ETag of an object in parts: the MD5 of their MD5s. With some ways of encryption S3 has others. */
function etagOf(etags: readonly string[]): string {
  const digests = Buffer.from(etags.join('').replaceAll('"', ''), 'hex');
  return `"${hash('md5', digests)}-${etags.length}"`;
}
