/** An answer that is kept. */
export interface Kept {
  etag: string;
  /** Of the resource, when the answer was begun. */
  generation: number;
  contentType: string;
  /** Empty when `remade`. */
  body: string;
  /** The answer was too long to be kept: it is made anew, under the same ETag. */
  remade?: boolean | undefined;
}

/** Keeps answers for some time; may forget any of them at any moment. */
export interface CacheStore {
  get(key: string): Promise<Kept | undefined>;
  set(key: string, kept: Kept, lifetimeMs: number): Promise<void>;
  /** Lets it live that long from now on. */
  extend(key: string, lifetimeMs: number): Promise<void>;
  close(): void;
}

const MOST_BYTES = 64 * 2 ** 20;

/** In the memory of this process: what was used last stays. */
export function memoryStore(mostBytes = MOST_BYTES): CacheStore {
  const entries = new Map<string, { kept: Kept; until: number; bytes: number }>();
  let bytes = 0;
  const drop = (key: string) => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    async get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (entry.until < performance.now()) {
        bytes -= entry.bytes;
        return undefined;
      }
      entries.set(key, entry);
      return entry.kept;
    },
    async set(key, kept, lifetimeMs) {
      drop(key);
      // two bytes for each character at most, and what the entry itself takes
      const size = 2 * (kept.body.length + key.length) + 500;
      if (size > mostBytes / 8) return;
      entries.set(key, { kept, until: performance.now() + lifetimeMs, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
    async extend(key, lifetimeMs) {
      const entry = entries.get(key);
      if (entry) entry.until = performance.now() + lifetimeMs;
    },
    close() {
      entries.clear();
    },
  };
}
