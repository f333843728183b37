import type { LRUCache } from 'lru-cache';

/**
 * The value of a key, from the cache or loaded: once for all who ask meanwhile. A load that fails is not kept, and one
 * that ends after `clear` does not come back.
 * @param sizeOf of a cache with `maxSize`: size of a loaded value. One that is larger than the cache is kept alone.
 */
export function loadOnce<Key extends {}, Value>(
  cache: LRUCache<Key, Promise<Value>>,
  key: Key,
  load: () => Promise<Value>,
  sizeOf?: (value: Value) => number,
): Promise<Value> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const loading = load();
  // while it loads, its size is not known
  cache.set(key, loading, sizeOf && { size: 1 });
  loading.then(
    (value) => {
      if (sizeOf === undefined || cache.peek(key) !== loading) return;
      // with the same value, `set` would keep the size
      cache.delete(key);
      cache.set(key, loading, { size: Math.min(cache.maxSize, Math.max(1, sizeOf(value))) });
    },
    () => {
      if (cache.peek(key) === loading) cache.delete(key);
    },
  );
  return loading;
}

/** A value that is made at the first question, once for all who ask meanwhile. After a failure it is made anew. */
export class Once<Value> {
  #making: Promise<Value> | undefined;

  get(make: () => Promise<Value>): Promise<Value> {
    if (this.#making !== undefined) return this.#making;
    const making = make();
    this.#making = making;
    making.catch(() => {
      if (this.#making === making) this.#making = undefined;
    });
    return making;
  }
}
