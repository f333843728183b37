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
  type Commit,
  checkBlockId,
  checkBlocks,
  checkName,
  hasChanged,
  isName,
  MissingBlock,
  type NamedBlock,
  type ShownAs,
  type StoredBlob,
  seen,
} from './blobs.ts';
import { Bucket, type StoredObject } from './bucket.ts';
import type { BucketAddress } from './bucket-address.ts';
import { joinBlocks } from './join-blocks.ts';
import { BucketMarker, type StoreMarker } from './marker.ts';
import { copyInParts, upload } from './multipart.ts';
import type { BucketAnswer, BucketLimits } from './s3-client.ts';
import { readSteadily } from './steady-read.ts';

const MIB = 2 ** 20;
/** Maximum size of a copy in one request. */
const MAX_COPY = 5 * 1024 * MIB;
const BLOCKS = '.blocks/';
/** The longest time that an upload in parts is taken to last. */
const LONGEST_UPLOAD_MS = 24 * 3_600_000;
/** Maximum number of objects that one request of S3 deletes. */
const MAX_REMOVED = 1000;

/** A blob store in a bucket. Writes are atomic, because an S3 object becomes visible when it is complete. */
export class S3Store implements BlobStore {
  readonly #bucket: Bucket;
  readonly #idleMs: number | undefined;
  readonly marker: StoreMarker;

  constructor(address: BucketAddress, { idleMs, limits }: { idleMs?: number; limits?: BucketLimits | undefined } = {}) {
    this.#bucket = new Bucket(address, limits);
    this.#idleMs = idleMs;
    this.marker = new BucketMarker(this.#bucket);
  }

  async put(name: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal): Promise<BlobInfo> {
    return this.#write(keyOf(name), body, limit, signal);
  }

  async putBlock(name: string, blockId: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<void> {
    await upload(this.#bucket, blockKey(name, blockId), body, { limit });
  }

  async commitBlocks(
    name: string,
    blockIds: readonly string[],
    limit: number,
    { target = name, each, signal }: Commit = {},
  ): Promise<BlobInfo> {
    const wanted = new Set(blockIds);
    for (const id of wanted) checkBlockId(id);
    const stored = new Map<string, NamedBlock & { key: string }>();
    for await (const block of this.#blocks(name)) {
      signal?.throwIfAborted();
      // there may be a million others
      if (wanted.has(block.id)) stored.set(block.id, block);
    }
    checkBlocks(blockIds, stored, limit);
    const openBlock = (id: string) =>
      this.#openObject(stored.get(id)?.key ?? blockKey(name, id), undefined, undefined, signal).catch((error) => {
        throw error instanceof AppError && error.kind === 'notFound' ? new MissingBlock(id, blockIds, stored) : error;
      });
    const readAll = async (id: string) => buffer(await openBlock(id));
    const joined = joinBlocks(blockIds, stored, { readAll, open: openBlock });
    return this.#write(keyOf(target), each ? seen(joined, each) : joined, limit, signal);
  }

  blocks(name: string): AsyncIterable<NamedBlock> {
    return this.#blocks(name);
  }

  async *#blocks(name: string): AsyncGenerator<NamedBlock & { key: string }> {
    for await (const { key, size, lastModified } of this.#bucket.list(blocksOf(name))) {
      const id = Buffer.from(key.slice(key.lastIndexOf('/') + 1), 'hex').toString();
      yield { id, key, size, written: lastModified.getTime() };
    }
  }

  async removeBlocks(name: string, before?: Date): Promise<void> {
    const blocks = await Array.fromAsync(this.#bucket.list(blocksOf(name)));
    // the oldest last: those that an interruption leaves should be older than the blob, in the seconds of S3
    blocks.sort((one, other) => other.lastModified.getTime() - one.lastModified.getTime());
    for (const some of [blocks.slice(0, -1), blocks.slice(-1)]) await this.#removeAll(some, before?.getTime());
  }

  async info(name: string): Promise<BlobInfo | undefined> {
    return this.#infoOf(keyOf(name));
  }

  async read(name: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable> {
    return this.#openObject(keyOf(name), range, etag, signal);
  }

  async readAll(name: string, _size: number, signal?: AbortSignal): Promise<Buffer> {
    return buffer(await this.#openObject(keyOf(name), undefined, undefined, signal));
  }

  async address(name: string, seconds: number, { contentType, disposition }: ShownAs): Promise<string> {
    return this.#bucket.presign(keyOf(name), seconds, {
      'response-content-type': contentType,
      ...(disposition === undefined ? {} : { 'response-content-disposition': disposition }),
    });
  }

  async fetch(name: string, path: string, signal?: AbortSignal): Promise<void> {
    const info = await this.#infoOf(keyOf(name), signal);
    if (!info) throw notFound('Blob', name);
    await using file = await open(path, 'wx', 0o600);
    try {
      await this.#fetchInto(file, keyOf(name), info, signal);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async copy(from: string, to: string, signal?: AbortSignal): Promise<BlobInfo> {
    const source = await this.#infoOf(keyOf(from), signal);
    if (!source) throw notFound('Blob', from);
    if (source.size <= MAX_COPY) await this.#bucket.copy(from, keyOf(to), source.etag, signal);
    else await copyInParts(this.#bucket, { key: from, ...source }, keyOf(to), signal);
    const info = await this.#infoOf(to, signal);
    if (!info) throw notFound('Blob', to);
    return info;
  }

  async adopt(path: string, name: string, signal?: AbortSignal): Promise<BlobInfo> {
    signal?.throwIfAborted();
    const body = createReadStream(path, { highWaterMark: MIB });
    const info = await this.#write(keyOf(name), body, Number.POSITIVE_INFINITY, signal);
    await unlink(path);
    return info;
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.remove(keyOf(name));
    await this.#removeAll(this.#bucket.list(blocksOf(name)));
  }

  async *list(prefix: string): AsyncGenerator<StoredBlob> {
    for (const area of areasOf(prefix)) {
      const within = prefix.length > area.length ? prefix : `${area}/`;
      for await (const { key, size, lastModified, inParts } of this.#bucket.list(within)) {
        if (!isName(key)) continue;
        const latest = Math.min(Date.now(), lastModified.getTime() + (inParts ? LONGEST_UPLOAD_MS : 0));
        yield { name: key, size, lastModified: new Date(latest) };
      }
    }
  }

  async removeLeftovers(olderThanMs: number, blocksOlderThanMs = olderThanMs): Promise<number> {
    const before = Date.now() - olderThanMs;
    const ours = (key: string) => (isName(key) && areasOf(key).length > 0) || key.startsWith(BLOCKS);
    const old = (await this.#bucket.listParts()).filter(({ key, begun }) => ours(key) && begun.getTime() < before);
    for (const parts of old) await this.#bucket.abortParts(parts);
    return old.length + (await this.#removeAll(this.#bucket.list(BLOCKS), Date.now() - blocksOlderThanMs));
  }

  async #write(key: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal) {
    await upload(this.#bucket, key, body, { limit, signal });
    const info = await this.#infoOf(key, signal);
    if (!info) throw notFound('Blob', key);
    return info;
  }

  async #infoOf(key: string, signal?: AbortSignal): Promise<BlobInfo | undefined> {
    const answer = await this.#bucket.head(key, signal);
    return answer.status === 404 ? undefined : infoFrom(answer.headers);
  }

  async #openObject(key: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable> {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': etag };
    if (range) headers.range = `bytes=${range.start}-${range.end}`;
    const answer = await this.#bucket.get(key, headers, signal);
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

  async #fetchInto(file: FileHandle, key: string, { size, etag }: BlobInfo, signal?: AbortSignal) {
    const open = (range: ByteRange, stop: AbortSignal) => this.#openObject(key, range, etag, stop);
    let have = 0;
    for await (const chunk of readSteadily({
      name: key,
      range: { start: 0, end: size - 1 },
      open,
      idleMs: this.#idleMs,
      signal,
    })) {
      await writeFully(file, have, chunk);
      have += chunk.length;
    }
  }

  async #removeAll(
    objects: AsyncIterable<StoredObject> | Iterable<StoredObject>,
    before = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let removed = 0;
    let batch: string[] = [];
    const removeBatch = async () => {
      await this.#bucket.removeMany(batch);
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
}

function keyOf(name: string): string {
  checkName(name);
  return name;
}

const blocksOf = (name: string) => `${BLOCKS}${keyOf(name)}/`;

/** In 256 folders: a server that keeps objects as files may list the folder of an object that it deletes. */
function blockKey(name: string, id: string): string {
  checkBlockId(id);
  return `${blocksOf(name)}${hash('sha1', id).slice(0, 2)}/${Buffer.from(id).toString('hex')}`;
}

function infoFrom(headers: BucketAnswer['headers']): BlobInfo {
  return {
    size: Number(headers.get('content-length')),
    etag: headers.get('etag') ?? '',
    lastModified: new Date(headers.get('last-modified') ?? 0),
  };
}
