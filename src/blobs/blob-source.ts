import { pooledBytes } from '../data/buffer-pool.ts';
import type { ByteSource } from '../data/bytes.ts';
import { notFound } from '../errors.ts';
import type { BlobStore, ByteRange } from './blobs.ts';
import { hasChanged } from './blobs.ts';
import type { Page } from './page-cache.ts';
import { PageCache } from './page-cache.ts';
import { ReadAhead } from './read-ahead.ts';
import { readSteadily } from './steady-read.ts';

const KIB = 1024;

export interface BlobSourcesOptions {
  /** Memory for pages of all sources together. */
  cacheBytes?: number;
  /** Unit of what is requested and kept. */
  pageBytes?: number;
  /** Largest distance of reading ahead; at most an eighth of the cache. */
  aheadBytes?: number;
  /** Without a byte for this long, a connection is given up for another one. */
  idleMs?: number;
}

interface OpenOptions {
  /** The version that the caller knows; absent: the present one. */
  etag?: string;
  /** Ends all reads of the source with its reason. */
  signal?: AbortSignal;
}

/** Opens blobs of a store as byte sources that share a cache, so that a blob is read in ranges and not copied. */
export class BlobSources {
  readonly #store: BlobStore;
  readonly #cache: PageCache;
  readonly #pageBytes: number;
  readonly #aheadBytes: number;
  readonly #idleMs: number | undefined;

  constructor(
    store: BlobStore,
    { cacheBytes = 64 * KIB ** 2, pageBytes = 128 * KIB, aheadBytes = 4 * KIB ** 2, idleMs }: BlobSourcesOptions = {},
  ) {
    if (pageBytes * 8 > cacheBytes)
      throw new Error(`A cache of ${cacheBytes} bytes is too small: give it at least 8 pages of ${pageBytes} bytes.`);
    this.#store = store;
    this.#cache = new PageCache(cacheBytes);
    this.#pageBytes = pageBytes;
    this.#aheadBytes = Math.min(aheadBytes, cacheBytes / 8);
    this.#idleMs = idleMs;
  }

  /** Bytes in the cache, and on their way into it. */
  get cachedBytes(): number {
    return this.#cache.size;
  }

  /** Throws `notFound`, and `preconditionFailed` when the blob's ETag is not `etag`. */
  async open(name: string, { etag, signal }: OpenOptions = {}): Promise<BlobSource> {
    const info = await stoppable(this.#store.info(name), signal);
    if (!info) throw notFound('Blob', name);
    if (etag !== undefined && info.etag !== etag) throw hasChanged(name);
    return new BlobSource({
      name,
      size: info.size,
      etag: info.etag,
      cache: this.#cache,
      pageBytes: this.#pageBytes,
      aheadBytes: this.#aheadBytes,
      signal,
      read: (range, stop) =>
        readSteadily({
          name: `Blob '${name}'`,
          range,
          open: (rest, end) => this.#store.read(name, rest, info.etag, end),
          idleMs: this.#idleMs,
          signal: stop,
        }),
    });
  }
}

interface BlobSourceParts {
  name: string;
  size: number;
  etag: string;
  cache: PageCache;
  pageBytes: number;
  aheadBytes: number;
  signal: AbortSignal | undefined;
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Another source stopped loading a page; whoever waits for the page loads it itself. */
class Abandoned extends Error {}

/**
 * One version of a blob, read in pages. When the blob is replaced or removed, reads throw `preconditionFailed` or `notFound`; pages that
 * are in memory still serve, and bytes of two versions are never mixed.
 */
export class BlobSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
  readonly #parts: BlobSourceParts;
  readonly #ahead: ReadAhead;
  /** Pages that one read waits for at a time, so that a read of any length needs a bounded part of the cache. */
  readonly #mostPages: number;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loads = new Set<Promise<void>>();

  constructor(parts: BlobSourceParts) {
    const { name, size, etag, cache, pageBytes, aheadBytes, signal } = parts;
    this.name = name;
    this.size = size;
    this.etag = etag;
    this.#parts = parts;
    this.#ahead = new ReadAhead(Math.floor(aheadBytes / pageBytes));
    this.#mostPages = Math.floor(cache.limit / 8 / pageBytes);
    this.#signal = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#signal.throwIfAborted();
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new RangeError(`Blob '${this.name}' has no bytes at offset ${offset}.`);
    const { pageBytes } = this.#parts;
    const end = Math.min(this.size, offset + length);
    // a copy: the bytes belong to the caller, who may change them or give back their memory
    const bytes = pooledBytes(Math.max(0, end - offset));
    for (let at = offset; at < end; ) {
      const first = Math.floor(at / pageBytes);
      const last = Math.min(first + this.#mostPages, Math.ceil(end / pageBytes)) - 1;
      const pages = this.#request(first, last);
      for (const [n, page] of pages.entries()) {
        const from = (first + n) * pageBytes;
        const loaded = await this.#loaded(page, first + n);
        const part = loaded.subarray(at - from, Math.min(loaded.length, end - from));
        bytes.set(part, at - offset);
        at += part.length;
      }
    }
    return bytes;
  }

  /** Stops what is being read, and waits for that. Pages stay in the cache for the next source of this version. */
  async close(): Promise<void> {
    this.#closing.abort(new Error(`The source of blob '${this.name}' was closed.`));
    await Promise.all(this.#loads);
  }

  /** Has these pages, and those that a scan needs next, on their way: each run of missing pages by one request. */
  #request(first: number, last: number): Page[] {
    const { cache, pageBytes } = this.#parts;
    const ahead = Math.min(this.#ahead.next(first, last), Math.ceil(this.size / pageBytes) - 1);
    // what is only read ahead waits for no memory
    const end = cache.hasRoom((ahead - first + 1) * pageBytes) ? ahead : last;
    const pages: Page[] = [];
    const missing: Page[] = [];
    for (let number = first; number <= end; number++) {
      const known = cache.get(this.#key(number));
      if (known) this.#load(missing.splice(0), number - 1);
      const page = known ?? this.#plan(number);
      if (!known) missing.push(page);
      pages.push(page);
    }
    this.#load(missing, end);
    return pages.slice(0, last - first + 1);
  }

  #plan(number: number): Page {
    const { cache, pageBytes } = this.#parts;
    return cache.plan(this.#key(number), Math.min(pageBytes, this.size - number * pageBytes));
  }

  /** @param last number of the last of these neighbouring pages */
  #load(pages: readonly Page[], last: number): void {
    if (pages.length === 0) return;
    const load = this.#fill(pages, (last - pages.length + 1) * this.#parts.pageBytes);
    this.#loads.add(load);
    void load.finally(() => this.#loads.delete(load));
  }

  /** Loads neighbouring pages; never throws: each page tells those who wait for it. */
  async #fill(pages: readonly Page[], start: number): Promise<void> {
    const { cache, read } = this.#parts;
    let full = 0;
    try {
      await cache.reserve(pages, this.#signal);
      const end = start + pages.reduce((sum, { length }) => sum + length, 0) - 1;
      let bytes: Uint8Array | undefined;
      let have = 0;
      for await (const chunk of read({ start, end }, this.#signal)) {
        for (let taken = 0; taken < chunk.length; ) {
          const page = pages[full]!;
          bytes ??= new Uint8Array(page.length);
          const part = chunk.subarray(taken, taken + page.length - have);
          bytes.set(part, have);
          have += part.length;
          taken += part.length;
          if (have < page.length) continue;
          cache.fill(page, bytes);
          [bytes, have] = [undefined, 0];
          full++;
        }
      }
    } catch (error) {
      const why = this.#signal.aborted ? new Abandoned() : error;
      for (const page of pages.slice(full)) cache.fail(page, why);
    }
  }

  async #loaded(page: Page, number: number): Promise<Uint8Array> {
    for (let wanted = page; ; ) {
      try {
        return await stoppable(wanted.bytes, this.#signal);
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!(error instanceof Abandoned)) throw error;
        const loading = this.#parts.cache.get(wanted.key);
        wanted = loading ?? this.#plan(number);
        if (!loading) this.#load([wanted], number);
      }
    }
  }

  #key(page: number): string {
    return `${this.name} ${this.etag} ${page}`;
  }
}

/** The promise, or the reason of the signal where that comes first. */
async function stoppable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: stopped, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return stopped;
}
