import { type ByteSource, pooledBytes } from 'hydrofiles/bytes';
import { LRUCache } from 'lru-cache';
import { notFound } from '../errors.ts';
import { type BlobStore, type ByteRange, hasChanged } from './blobs.ts';
import { BlobFile } from './file-source.ts';
import { type Page, PageCache } from './page-cache.ts';
import { ReadAhead } from './read-ahead.ts';
import { readSteadily } from './steady-read.ts';

const KIB = 1024;

export interface BlobSourcesOptions {
  /** Size of the page cache, which all sources share. */
  cacheBytes?: number;
  /** Size of a page, the unit of requests and of the cache. */
  pageBytes?: number;
  /** Maximum read-ahead; limited to an eighth of the cache. */
  aheadBytes?: number;
  /** A connection that delivers no byte for this time is replaced by another one. */
  idleMs?: number;
}

interface OpenOptions {
  /** Required version. Default: the current one. */
  etag?: string;
  /** Its abort ends all reads of the source, with its reason. */
  signal?: AbortSignal;
}

/** One version of a blob. Close it at the end. */
export interface OpenBlob extends ByteSource {
  readonly name: string;
  readonly etag: string;
  close(): Promise<void>;
}

/** Files of blobs that stay known; an idle one is not open. */
const MOST_FILES = 256;

/** Opens blobs as byte sources that share a cache, so that ranges of a blob can be read without copying the blob. */
export class BlobSources {
  readonly #store: BlobStore;
  readonly #cache: PageCache;
  readonly #pageBytes: number;
  readonly #aheadBytes: number;
  readonly #idleMs: number | undefined;
  /** Open files by name and version of the blob. */
  readonly #files = new LRUCache<string, BlobFile>({ max: MOST_FILES });

  constructor(
    store: BlobStore,
    { cacheBytes = 64 * KIB ** 2, pageBytes = 128 * KIB, aheadBytes = 4 * KIB ** 2, idleMs }: BlobSourcesOptions = {},
  ) {
    if (pageBytes * 8 > cacheBytes)
      throw new Error(`A cache of ${cacheBytes} bytes is too small. It needs at least 8 pages of ${pageBytes} bytes.`);
    this.#store = store;
    this.#cache = new PageCache(cacheBytes);
    this.#pageBytes = pageBytes;
    this.#aheadBytes = Math.min(aheadBytes, cacheBytes / 8);
    this.#idleMs = idleMs;
  }

  /** Bytes of pages that are cached or being loaded. */
  get cachedBytes(): number {
    return this.#cache.size;
  }

  /** Throws `notFound`, or `preconditionFailed` if the blob's ETag differs from `etag`. */
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

  /**
   * As `open`, without a cache for blobs of a local store, because the system has one: for few and scattered reads.
   * Nothing is read ahead.
   */
  async openDirect(name: string): Promise<OpenBlob> {
    const { openFile } = this.#store;
    if (openFile === undefined) return this.open(name);
    const info = await this.#store.info(name);
    if (!info) throw notFound('Blob', name);
    const { etag, size } = info;
    const key = `${name} ${etag}`;
    const file = this.#files.get(key) ?? new BlobFile(size, () => openFile.call(this.#store, name));
    this.#files.set(key, file);
    return {
      name,
      etag,
      size,
      read: (offset, length) => file.read(offset, length),
      lend: (work) => file.lend(work),
      // the file closes itself when nobody reads from it
      close: async () => {},
    };
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

/** Another source that was loading a page was closed. Sources that wait for the page must load it themselves. */
class Abandoned extends Error {}

/**
 * One version of a blob, read in pages. After the blob was replaced or removed, reads of pages that are not cached
 * throw `preconditionFailed` or `notFound`: bytes of two versions are never mixed.
 */
export class BlobSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
  readonly #parts: BlobSourceParts;
  readonly #ahead: ReadAhead;
  /** Maximum number of pages that one read requests at once, so that a long read uses a limited part of the cache. */
  readonly #maxPages: number;
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
    this.#maxPages = Math.floor(cache.limit / 8 / pageBytes);
    this.#signal = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#signal.throwIfAborted();
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new RangeError(`Blob '${this.name}' has no bytes at offset ${offset}.`);
    const { pageBytes } = this.#parts;
    const end = Math.min(this.size, offset + length);
    // a copy, because the caller may change the bytes or release their memory
    const bytes = pooledBytes(Math.max(0, end - offset));
    for (let at = offset; at < end; ) {
      const first = Math.floor(at / pageBytes);
      const last = Math.min(first + this.#maxPages, Math.ceil(end / pageBytes)) - 1;
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

  /** Aborts requests and waits for their end. Loaded pages stay in the cache. */
  async close(): Promise<void> {
    this.#closing.abort(new Error(`The source of blob '${this.name}' was closed.`));
    await Promise.all(this.#loads);
  }

  /**
   * Starts loading these pages and those to read ahead: one request for each run of missing pages. Returns the pages
   * from `first` to `last`.
   */
  #request(first: number, last: number): Page[] {
    const { cache, pageBytes } = this.#parts;
    const ahead = Math.min(this.#ahead.next(first, last), Math.ceil(this.size / pageBytes) - 1);
    // do not read ahead if that must wait for memory
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

  /** @param last number of the last of these consecutive pages */
  #load(pages: readonly Page[], last: number): void {
    if (pages.length === 0) return;
    const load = this.#fill(pages, (last - pages.length + 1) * this.#parts.pageBytes);
    this.#loads.add(load);
    void load.finally(() => this.#loads.delete(load));
  }

  /** Loads consecutive pages. Never throws: an error rejects the pages. */
  async #fill(pages: readonly Page[], start: number): Promise<void> {
    const { cache, read } = this.#parts;
    let full = 0;
    try {
      await cache.reserve(pages, this.#signal);
      const end = start + pages.reduce((sum, { length }) => sum + length, 0) - 1;
      let bytes: Uint8Array | undefined;
      let have = 0;
      for await (const chunk of read({ start, end }, this.#signal)) {
        for (let used = 0; used < chunk.length; ) {
          const page = pages[full]!;
          bytes ??= new Uint8Array(page.length);
          const part = chunk.subarray(used, used + page.length - have);
          bytes.set(part, have);
          have += part.length;
          used += part.length;
          if (have < page.length) continue;
          cache.fill(page, bytes);
          [bytes, have] = [undefined, 0];
          full++;
        }
      }
    } catch (error) {
      const reason = this.#signal.aborted ? new Abandoned() : error;
      for (const page of pages.slice(full)) cache.fail(page, reason);
    }
  }

  /** The bytes of a page. Loads it if the source that was loading it was closed. */
  async #loaded(page: Page, number: number): Promise<Uint8Array> {
    for (let current = page; ; ) {
      try {
        return await stoppable(current.bytes, this.#signal);
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!(error instanceof Abandoned)) throw error;
        const loading = this.#parts.cache.get(current.key);
        current = loading ?? this.#plan(number);
        if (!loading) this.#load([current], number);
      }
    }
  }

  #key(page: number): string {
    return `${this.name} ${this.etag} ${page}`;
  }
}

/** Resolves as the promise does, or rejects with the reason of the signal if it aborts first. */
async function stoppable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: stopped, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return stopped;
}
