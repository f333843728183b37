import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { type BlobInfo, tooLarge } from './blobs.ts';
import type { Bucket, Parts } from './bucket.ts';
import { BucketError } from './s3-client.ts';

const MIB = 2 ** 20;
/** S3 allows 10,000 parts of at least 5 MiB. Growing parts reach its maximum size of 5 TiB. */
const partSize = (number: number) => 8 * MIB * 2 ** Math.floor(number / 1000);
/** Part size of larger copies. */
const COPY_PART = 1024 * MIB;
/** Number of concurrent requests. */
const CONCURRENCY = 8;

/**
 * Uploads a stream of unknown length: in one request if it is small, else in parts. Sends a part while the next one is
 * being read.
 */
export async function upload(
  bucket: Bucket,
  key: string,
  body: AsyncIterable<Uint8Array>,
  { limit, signal }: { limit: number; signal?: AbortSignal | undefined },
): Promise<void> {
  let parts: Parts | undefined;
  const etags: Promise<string>[] = [];
  let total = 0;
  let gathered: Uint8Array[] = [];
  let size = 0;
  const sendPart = async () => {
    parts ??= { key, uploadId: await bucket.startParts(key, signal) };
    await etags.at(-1);
    const sent = bucket.putPart(parts, etags.length + 1, Buffer.concat(gathered, size), signal);
    // awaited before the next part, or at the end
    sent.catch(() => {});
    etags.push(sent);
    [gathered, size] = [[], 0];
  };
  try {
    signal?.throwIfAborted();
    for await (const chunk of body) {
      signal?.throwIfAborted();
      total += chunk.length;
      if (total > limit) throw tooLarge(limit);
      gathered.push(chunk);
      size += chunk.length;
      if (size >= partSize(etags.length)) await sendPart();
    }
    if (parts === undefined) {
      await bucket.put(key, Buffer.concat(gathered, size), signal);
      return;
    }
    if (size > 0) await sendPart();
    await finishParts(bucket, parts, await Promise.all(etags), signal);
  } catch (error) {
    if (parts !== undefined) {
      await Promise.allSettled(etags);
      // if this fails, `removeLeftovers` aborts the upload later
      const aborted = bucket.abortParts(parts).catch(() => {});
      // a silent server would not answer this either
      if (!(error instanceof AppError && error.kind === 'unavailable')) await aborted;
    }
    throw error;
  }
}

/** Copies an object that is too large for one request, several parts at a time. */
export async function copyInParts(
  bucket: Bucket,
  source: BlobInfo & { key: string },
  key: string,
  signal?: AbortSignal,
) {
  const parts = { key, uploadId: await bucket.startParts(key, signal) };
  const etags: string[] = [];
  const count = Math.ceil(source.size / COPY_PART);
  let next = 0;
  const copyParts = async () => {
    while (next < count) {
      const part = next++;
      const start = part * COPY_PART;
      const range = { ...source, start, end: Math.min(start + COPY_PART, source.size) - 1 };
      etags[part] = await bucket.copyPart(parts, part + 1, range, signal);
    }
  };
  const copying = Array.from({ length: CONCURRENCY }, () => copyParts());
  try {
    await Promise.all(copying);
    await finishParts(bucket, parts, etags, signal);
  } catch (error) {
    next = count;
    await Promise.allSettled(copying);
    // if this fails, `removeLeftovers` aborts the upload later
    await bucket.abortParts(parts).catch(() => {});
    throw error;
  }
}

/** Pauses before each look for an object that the store may still be completing, in milliseconds. */
const PAUSES_MS = [0, 1000, 2000, 4000, 8000];

/**
 * Completes an upload in parts. The store may complete it although the answer is an error: the connection breaks, or a
 * proxy does not wait for the store. So after an error the object is complete if it has the ETag of these parts. Its
 * size would not do, because a block is replaced by another one of the same size.
 */
async function finishParts(
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
      if (found?.headers.get('etag') === multipartEtag(etags)) return;
    }
    signal?.throwIfAborted();
    throw error;
  }
}

/** The ETag of an object in parts: the MD5 of their MD5s. With some ways of encryption S3 has others. */
function multipartEtag(etags: readonly string[]): string {
  const digests = Buffer.from(etags.join('').replaceAll('"', ''), 'hex');
  return `"${hash('md5', digests)}-${etags.length}"`;
}
