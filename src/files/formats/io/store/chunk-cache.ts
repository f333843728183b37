import { LRUCache } from 'lru-cache';
import { loadOnce } from '../../../data/load-once.ts';
import type { StoredValues } from '../../../data/stored-values.ts';

/** Decoded chunks that a conversion keeps, so that the steps of a chunk are not decoded one by one. */
const usualBytes = 1 << 27;

/** The last used decoded chunks, up to a number of bytes. Several stores may share one. */
export class ChunkCache {
  readonly #chunks: LRUCache<string, Promise<StoredValues>>;

  constructor(limit = usualBytes) {
    this.#chunks = new LRUCache({ maxSize: limit });
  }

  /** The chunk; one that two callers want at the same time is loaded once. The key names the store, too. */
  get(key: string, load: () => Promise<StoredValues>): Promise<StoredValues> {
    return loadOnce(this.#chunks, key, load, ({ byteLength }) => byteLength);
  }
}
