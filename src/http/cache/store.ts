/** A cached answer. */
export interface CacheEntry {
  etag: string;
  /** Generation of the resource before the answer was computed. */
  generation: number;
  contentType: string;
  /** Empty for `etagOnly`. */
  body: string;
  /** The body is too long for the cache: it is computed again and sent with the same ETag. */
  etagOnly?: boolean | undefined;
}

/** A cache of answers, which may evict entries at any time. */
export interface CacheStore {
  get(key: string): Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry, lifetimeMs: number): Promise<void>;
  /** The lifetime of the entry begins now. */
  extend(key: string, lifetimeMs: number): Promise<void>;
  close(): void;
}

const MAX_BYTES = 64 * 2 ** 20;

/** An LRU cache in memory. */
export function memoryStore(maxBytes = MAX_BYTES): CacheStore {
  const slots = new Map<string, { entry: CacheEntry; until: number; bytes: number }>();
  let bytes = 0;
  const drop = (key: string) => {
    bytes -= slots.get(key)?.bytes ?? 0;
    slots.delete(key);
  };
  return {
    async get(key) {
      const slot = slots.get(key);
      if (!slot) return undefined;
      slots.delete(key);
      if (slot.until < performance.now()) {
        bytes -= slot.bytes;
        return undefined;
      }
      // the most recently used slot is the last one
      slots.set(key, slot);
      return slot.entry;
    },
    async set(key, entry, lifetimeMs) {
      drop(key);
      // at most two bytes per character, and an estimate for the objects
      const size = 2 * (entry.body.length + key.length) + 500;
      if (size > maxBytes / 8) return;
      slots.set(key, { entry, until: performance.now() + lifetimeMs, bytes: size });
      bytes += size;
      for (const oldest of slots.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    async extend(key, lifetimeMs) {
      const slot = slots.get(key);
      if (slot) slot.until = performance.now() + lifetimeMs;
    },
    close() {
      slots.clear();
    },
  };
}
