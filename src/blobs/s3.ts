import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm, unlink } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { writeFully } from 'hydrofiles/bytes';
import { AppError, notFound } from '../errors.ts';
import {
  areasOf,
  type BlobInfo,
  type BlobStore,
  type ByteRange,
  checkBlockId,
  checkBlocks,
  checkName,
  hasChanged,
  isName,
  MissingBlock,
  type StoredBlob,
  type StoredBlock,
  seen,
  tooLarge,
} from './blobs.ts';
import {
  type Bucket,
  type BucketAddress,
  type BucketAnswer,
  type BucketLimits,
  openBucket,
  type Parts,
  type StoredObject,
} from './bucket.ts';
import { finishParts } from './finish-parts.ts';
import { joinBlocks } from './join-blocks.ts';
import { bucketMarker } from './marker.ts';
import { readSteadily } from './steady-read.ts';

const MIB = 2 ** 20;
/** S3 allows 10,000 parts of at least 5 MiB. Growing parts reach its maximum size of 5 TiB. */
const partSize = (number: number) => 8 * MIB * 2 ** Math.floor(number / 1000);
/** Maximum size of a copy in one request. */
const MAX_COPY = 5 * 1024 * MIB;
/** Part size of larger copies. */
const COPY_PART = 1024 * MIB;
const BLOCKS = '.blocks/';
/** The longest time that an upload in parts is taken to last. */
const LONGEST_UPLOAD_MS = 24 * 3_600_000;
/** Maximum number of objects that one request of S3 deletes. */
const MAX_REMOVED = 1000;
/** Number of concurrent requests. */
const CONCURRENCY = 8;

/** A blob store in a bucket. Writes are atomic, because an S3 object becomes visible when it is complete. */
export function openS3Store(
  address: BucketAddress,
  { idleMs, limits }: { idleMs?: number; limits?: BucketLimits | undefined } = {},
): BlobStore {
  const bucket = openBucket(address, limits);
  const keyOf = (name: string) => {
    checkName(name);
    return name;
  };
  const blocksOf = (name: string) => `${BLOCKS}${keyOf(name)}/`;
  /** In 256 folders: a server that keeps objects as files may list the folder of an object that it deletes. */
  const blockKey = (name: string, id: string) => {
    checkBlockId(id);
    return `${blocksOf(name)}${hash('sha1', id).slice(0, 2)}/${Buffer.from(id).toString('hex')}`;
  };

  async function write(key: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal) {
    await upload(bucket, key, body, { limit, signal });
    const info = await infoOf(key, signal);
    if (!info) throw notFound('Blob', key);
    return info;
  }

  async function infoOf(key: string, signal?: AbortSignal): Promise<BlobInfo | undefined> {
    const answer = await bucket.head(key, signal);
    return answer.status === 404 ? undefined : infoFrom(answer.headers);
  }

  async function openObject(key: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable> {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': etag };
    if (range) headers.range = `bytes=${range.start}-${range.end}`;
    const answer = await bucket.get(key, headers, signal);
    if (answer.status === 404) throw notFound('Blob', key);
    // some servers ignore If-Match, or check the range first: 416 if the blob is shorter now
    const changed = answer.status === 412 || answer.status === 416;
    if (changed || (etag !== undefined && answer.headers.get('etag') !== etag)) {
      answer.body?.destroy();
      throw hasChanged(key);
    }
    if (range && Number(answer.headers.get('content-length')) !== range.end - range.start + 1) {
      answer.body?.destroy();
      throw new Error(`S3 GET ${key}: the answer does not have the length of the range ${range.start}-${range.end}.`);
    }
    const bytes = answer.body ?? Readable.from([]);
    // the signal of the request does not reliably abort a body that has begun
    return signal ? addAbortSignal(signal, bytes) : bytes;
  }

  async function fetchInto(file: FileHandle, key: string, { size, etag }: BlobInfo, signal?: AbortSignal) {
    const open = (range: ByteRange, stop: AbortSignal) => openObject(key, range, etag, stop);
    let have = 0;
    for await (const chunk of readSteadily({ name: key, range: { start: 0, end: size - 1 }, open, idleMs, signal })) {
      await writeFully(file, have, chunk);
      have += chunk.length;
    }
  }

  async function removeAll(
    objects: AsyncIterable<StoredObject> | Iterable<StoredObject>,
    before = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let removed = 0;
    let batch: string[] = [];
    const removeBatch = async () => {
      await bucket.removeMany(batch);
      removed += batch.length;
      batch = [];
    };
    for await (const { key, lastModified } of objects) {
      if (lastModified.getTime() >= before) continue;
      batch.push(key);
      if (batch.length === MAX_REMOVED) await removeBatch();
    }
    await removeBatch();
    return removed;
  }

  return {
    put: async (name, body, limit, signal) => write(keyOf(name), body, limit, signal),

    async putBlock(name, blockId, body, limit) {
      await upload(bucket, blockKey(name, blockId), body, { limit });
    },

    async commitBlocks(name, blockIds, limit, { target = name, each, signal } = {}) {
      const stored = new Map<string, StoredBlock & { key: string }>();
      for await (const { key, size, lastModified } of bucket.list(blocksOf(name))) {
        signal?.throwIfAborted();
        const id = Buffer.from(key.slice(key.lastIndexOf('/') + 1), 'hex').toString();
        stored.set(id, { key, size, written: lastModified.getTime() });
      }
      for (const id of new Set(blockIds)) checkBlockId(id);
      checkBlocks(blockIds, stored, limit);
      const openBlock = (id: string) =>
        openObject(stored.get(id)?.key ?? blockKey(name, id), undefined, undefined, signal).catch((error) => {
          throw error instanceof AppError && error.kind === 'notFound' ? new MissingBlock(id, blockIds, stored) : error;
        });
      const readAll = async (id: string) => buffer(await openBlock(id));
      const joined = joinBlocks(blockIds, stored, { readAll, open: openBlock });
      return write(keyOf(target), each ? seen(joined, each) : joined, limit, signal);
    },

    async removeBlocks(name, before) {
      const blocks = await Array.fromAsync(bucket.list(blocksOf(name)));
      // the oldest last: those that an interruption leaves should be older than the blob, in the seconds of S3
      blocks.sort((one, other) => other.lastModified.getTime() - one.lastModified.getTime());
      for (const some of [blocks.slice(0, -1), blocks.slice(-1)]) await removeAll(some, before?.getTime());
    },

    info: async (name) => infoOf(keyOf(name)),
    read: async (name, range, etag, signal) => openObject(keyOf(name), range, etag, signal),
    readAll: async (name, _size, signal) => buffer(await openObject(keyOf(name), undefined, undefined, signal)),

    address: (name, seconds, { contentType, disposition }) =>
      bucket.presign(keyOf(name), seconds, {
        'response-content-type': contentType,
        ...(disposition === undefined ? {} : { 'response-content-disposition': disposition }),
      }),

    async fetch(name, path, signal) {
      const info = await infoOf(keyOf(name), signal);
      if (!info) throw notFound('Blob', name);
      const file = await open(path, 'wx', 0o600);
      try {
        await fetchInto(file, keyOf(name), info, signal);
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        await file.close();
      }
    },

    async copy(from, to, signal) {
      const source = await infoOf(keyOf(from), signal);
      if (!source) throw notFound('Blob', from);
      if (source.size <= MAX_COPY) await bucket.copy(from, keyOf(to), source.etag, signal);
      else await copyInParts(bucket, { key: from, ...source }, keyOf(to), signal);
      const info = await infoOf(to, signal);
      if (!info) throw notFound('Blob', to);
      return info;
    },

    async adopt(path, name, signal) {
      signal?.throwIfAborted();
      const body = createReadStream(path, { highWaterMark: MIB });
      const info = await write(keyOf(name), body, Number.POSITIVE_INFINITY, signal);
      await unlink(path);
      return info;
    },

    async remove(name) {
      await bucket.remove(keyOf(name));
      await removeAll(bucket.list(blocksOf(name)));
    },

    async *list(prefix): AsyncGenerator<StoredBlob> {
      for (const area of areasOf(prefix)) {
        const within = prefix.length > area.length ? prefix : `${area}/`;
        for await (const { key, size, lastModified, inParts } of bucket.list(within)) {
          if (!isName(key)) continue;
          const latest = Math.min(Date.now(), lastModified.getTime() + (inParts ? LONGEST_UPLOAD_MS : 0));
          yield { name: key, size, lastModified: new Date(latest) };
        }
      }
    },

    async removeLeftovers(olderThanMs) {
      const before = Date.now() - olderThanMs;
      const ours = (key: string) => (isName(key) && areasOf(key).length > 0) || key.startsWith(BLOCKS);
      const old = (await bucket.listParts()).filter(({ key, begun }) => ours(key) && begun.getTime() < before);
      for (const parts of old) await bucket.abortParts(parts);
      return old.length + (await removeAll(bucket.list(BLOCKS), before));
    },

    marker: bucketMarker(bucket),
  };
}

function infoFrom(headers: BucketAnswer['headers']): BlobInfo {
  return {
    size: Number(headers.get('content-length')),
    etag: headers.get('etag') ?? '',
    lastModified: new Date(headers.get('last-modified') ?? 0),
  };
}

/**
 * Uploads a stream of unknown length: in one request if it is small, else in parts. Sends a part while the next one is
 * being read.
 */
async function upload(
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
async function copyInParts(bucket: Bucket, source: BlobInfo & { key: string }, key: string, signal?: AbortSignal) {
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
