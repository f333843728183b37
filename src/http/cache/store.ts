import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** A cached answer. */
export const CacheEntry = z.object({
  etag: z.string(),
  /** Generation of the resource before the answer was computed. */
  generation: z.number(),
  contentType: z.string(),
  /** `Content-Disposition`. */
  disposition: z.string().optional(),
  /** Empty for `etagOnly`. */
  body: z.string(),
  /** The body is too long for the cache: it is computed again and sent with the same ETag. */
  etagOnly: z.boolean().optional(),
});
export type CacheEntry = z.infer<typeof CacheEntry>;

/** A cache of answers, which may evict entries at any time. */
export interface CacheStore {
  get(key: string): Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry, lifetimeMs: number): Promise<void>;
  /** The lifetime of the entry begins now. */
  extend(key: string, lifetimeMs: number): Promise<void>;
  close(): void;
}

const MAX_BYTES = 64 * 2 ** 20;

/** A cache in memory. */
export class MemoryStore implements CacheStore {
  readonly #entries: LRUCache<string, CacheEntry>;

  constructor(maxBytes = MAX_BYTES) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes / 8),
      // at most two bytes per character, and an estimate for the objects
      sizeCalculation: ({ body }, key) => 2 * (body.length + key.length) + 500,
    });
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    return this.#entries.get(key);
  }

  async set(key: string, entry: CacheEntry, lifetimeMs: number): Promise<void> {
    // 0 would be no end
    this.#entries.set(key, entry, { ttl: Math.max(1, lifetimeMs) });
  }

  async extend(key: string, lifetimeMs: number): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) await this.set(key, entry, lifetimeMs);
  }

  close(): void {
    this.#entries.clear();
  }
}
