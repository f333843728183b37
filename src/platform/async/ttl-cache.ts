const MAX_ENTRIES = 10_000;

/** A cache whose entries expire. Rejected promises are not cached. */
export interface TtlCache<Value> {
  /** The cached value of `key`, else the value that `load` returns. Concurrent calls share one load. */
  get(key: string, load: () => Promise<Value>): Promise<Value>;
  clear(): void;
}

/** @param ttlMs lifetime of an entry: the maximum time until changes by other processes are seen */
export function openTtlCache<Value>(ttlMs: number): TtlCache<Value> {
  let entries = new Map<string, { since: number; value: Promise<Value> }>();
  return {
    get(key, load) {
      const found = entries.get(key);
      if (found && performance.now() - found.since < ttlMs) return found.value;
      // a load that ends after `clear` must not touch the new map
      const map = entries;
      map.delete(key);
      const oldest = map.size >= MAX_ENTRIES ? map.keys().next().value : undefined;
      if (oldest !== undefined) map.delete(oldest);
      const entry = { since: performance.now(), value: load() };
      map.set(key, entry);
      entry.value.catch(() => {
        if (map.get(key) === entry) map.delete(key);
      });
      return entry.value;
    },
    clear() {
      entries = new Map();
    },
  };
}
