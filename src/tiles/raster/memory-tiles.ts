/** The last used tiles, in memory. */
export class MemoryTiles<T extends { readonly bytes: Uint8Array }> {
  readonly #most: number;
  readonly #tiles = new Map<string, T>();
  #size = 0;

  /** @param most bytes of tiles */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    const tile = this.#tiles.get(key);
    if (tile === undefined) return undefined;
    this.#tiles.delete(key);
    this.#tiles.set(key, tile);
    return tile;
  }

  set(key: string, tile: T): void {
    this.delete(key);
    this.#tiles.set(key, tile);
    this.#size += tile.bytes.length;
    for (const oldest of this.#tiles.keys()) {
      if (this.#size <= this.#most) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#tiles.get(key)?.bytes.length ?? 0;
    this.#tiles.delete(key);
  }
}
