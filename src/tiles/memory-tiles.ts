/** Bytes of an entry besides its key and its tile. */
const ENTRY = 200;

/** The last used tiles, in memory. */
export class MemoryTiles<T extends { readonly bytes: Uint8Array | undefined }> {
  readonly #most: number;
  readonly #tiles = new Map<string, T>();
  #size = 0;

  /** @param most bytes of tiles and their keys */
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
    this.#size += sizeOf(key, tile);
    for (const oldest of this.#tiles.keys()) {
      if (this.#size <= this.#most) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const tile = this.#tiles.get(key);
    if (tile === undefined) return;
    this.#size -= sizeOf(key, tile);
    this.#tiles.delete(key);
  }
}

const sizeOf = (key: string, { bytes }: { readonly bytes: Uint8Array | undefined }): number =>
  key.length + ENTRY + (bytes?.length ?? 0);
