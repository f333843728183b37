/** Bytes of an entry besides its key and its value. */
const ENTRY = 200;

/** The last used values, in memory. */
export class RecentlyUsed<T> {
  readonly #most: number;
  readonly #sizeOf: (value: T) => number;
  readonly #values = new Map<string, T>();
  #size = 0;

  /**
   * @param most bytes of values and their keys
   * @param sizeOf bytes of a value
   */
  constructor(most: number, sizeOf: (value: T) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.#bytes(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#most) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#size -= this.#bytes(key, value);
    this.#values.delete(key);
  }

  #bytes(key: string, value: T): number {
    return key.length + ENTRY + this.#sizeOf(value);
  }
}

/** Bytes of a tile; undefined: one with nothing in it. */
export const bytesOfTile = ({ bytes }: { readonly bytes: Uint8Array | undefined }): number => bytes?.length ?? 0;
