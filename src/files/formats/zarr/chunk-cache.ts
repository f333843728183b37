import type { StoredValues } from '../../data/stored-values.ts';

/** Decoded chunks that a conversion keeps, so that the steps of a chunk are not decoded one by one. */
const usualBytes = 1 << 27;

/** The last used decoded chunks, up to a number of bytes. Several stores may share one. */
export class ChunkCache {
  readonly #chunks = new Map<string, StoredValues>();
  readonly #loading = new Map<string, Promise<StoredValues>>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limit = usualBytes) {
    this.#limit = limit;
  }

  /** The chunk; one that two callers want at the same time is loaded once. The key names the store, too. */
  async get(key: string, load: () => Promise<StoredValues>): Promise<StoredValues> {
    const found = this.#chunks.get(key);
    if (found !== undefined) {
      this.#chunks.delete(key);
      this.#chunks.set(key, found);
      return found;
    }
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const values = await loading;
      this.#add(key, values);
      return values;
    } finally {
      this.#loading.delete(key);
    }
  }

  #add(key: string, values: StoredValues): void {
    this.#chunks.set(key, values);
    this.#bytes += values.byteLength;
    for (const [oldest, { byteLength }] of this.#chunks) {
      if (this.#bytes <= this.#limit || oldest === key) break;
      this.#bytes -= byteLength;
      this.#chunks.delete(oldest);
    }
  }
}
