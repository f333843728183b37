const MOST_KEPT_BYTES = 64 << 20;

/** Drawn tiles, gzipped: the last used ones stay in memory. Several requests of a tile draw it once. */
export class KeptTiles {
  readonly #kept = new Map<string, { readonly bytes: Promise<Uint8Array | undefined>; size: number }>();
  #size = 0;

  /**
   * @param key of the content and all that chooses what is drawn of it
   * @param draw returns undefined for a tile with nothing in it
   */
  of(key: string, draw: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.bytes;
    }
    const entry = { bytes: draw(), size: 0 };
    this.#kept.set(key, entry);
    entry.bytes.then(
      (bytes) => {
        entry.size = key.length + 200 + (bytes?.length ?? 0);
        this.#size += entry.size;
        for (const [oldest, one] of this.#kept) {
          if (this.#size <= MOST_KEPT_BYTES) break;
          if (one.size === 0) continue;
          this.#kept.delete(oldest);
          this.#size -= one.size;
        }
      },
      () => this.#kept.delete(key),
    );
    return entry.bytes;
  }
}
