import { LRUCache } from 'lru-cache';

/** A page of a blob, loaded or being loaded. */
export interface Page {
  readonly key: string;
  readonly length: number;
  /** Rejects if the page cannot be read; then the cache has removed it. */
  readonly bytes: Promise<Uint8Array>;
}

interface CachedPage extends Page {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
  isReserved: boolean;
}

interface Waiting {
  bytes: number;
  granted(): void;
}

/**
 * An LRU cache of pages with a limit in bytes, which includes pages that are being loaded. Life of a page: `plan`
 * (others can wait for it), `reserve` (memory), `fill` or `fail`. Errors are not cached.
 */
export class PageCache {
  readonly limit: number;
  readonly #loaded: LRUCache<string, CachedPage>;
  /** Planned or being loaded. */
  readonly #coming = new Map<string, CachedPage>();
  /** Bytes that are reserved for pages. */
  #loading = 0;
  #waiting: Waiting[] = [];

  constructor(limit: number) {
    this.limit = limit;
    this.#loaded = new LRUCache({ maxSize: limit, sizeCalculation: ({ length }) => length });
  }

  /** Bytes of all pages that are loaded or being loaded. */
  get size(): number {
    return this.#loaded.calculatedSize + this.#loading;
  }

  /** A page that is loaded or being loaded. Marks it as used. */
  get(key: string): Page | undefined {
    return this.#coming.get(key) ?? this.#loaded.get(key);
  }

  /** Adds a page. The caller must load it and call `fill` or `fail`. */
  plan(key: string, length: number): Page {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    // prevents an unhandled rejection if nobody waits for the page
    promise.catch(() => {});
    const entry: CachedPage = { key, length, bytes: promise, resolve, reject, isReserved: false };
    this.#coming.set(key, entry);
    return entry;
  }

  /** Whether `reserve` would get this memory without waiting, by evicting pages. */
  hasRoom(bytes: number): boolean {
    return this.#waiting.length === 0 && this.#loading + bytes <= this.limit;
  }

  /**
   * Reserves memory for these pages. Waits until there is enough, in the order of the calls. Throws the reason of
   * `signal`.
   */
  async reserve(pages: readonly Page[], signal: AbortSignal): Promise<void> {
    const bytes = pages.reduce((sum, { length }) => sum + length, 0);
    signal.throwIfAborted();
    if (!this.hasRoom(bytes)) await this.#waitForMemory(bytes, signal);
    else this.#take(bytes);
    for (const page of pages) (page as CachedPage).isReserved = true;
  }

  fill(page: Page, bytes: Uint8Array): void {
    const entry = page as CachedPage;
    this.#coming.delete(entry.key);
    this.#loading -= entry.length;
    this.#loaded.set(entry.key, entry);
    entry.resolve(bytes);
    this.#grant();
  }

  fail(page: Page, error: unknown): void {
    const entry = page as CachedPage;
    this.#coming.delete(entry.key);
    if (entry.isReserved) this.#loading -= entry.length;
    entry.reject(error);
    this.#grant();
  }

  #take(bytes: number): void {
    this.#loading += bytes;
    while (this.size > this.limit && this.#loaded.size > 0) this.#loaded.pop();
  }

  #waitForMemory(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { bytes, granted: resolve };
    this.#waiting.push(waiting);
    const stop = () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      reject(signal.reason);
      this.#grant();
    };
    signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', stop));
  }

  #grant(): void {
    for (let [next] = this.#waiting; next && this.#loading + next.bytes <= this.limit; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#take(next.bytes);
      next.granted();
    }
  }
}
