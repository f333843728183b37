/** Bytes of an entry besides its piece. */
const ENTRY = 200;

interface Entry<T> {
  readonly piece: Promise<T>;
  size: number;
}

/** Pieces that were read or are being read, of any owner; the last used ones stay in memory. */
export class RecentPieces<T> {
  readonly #most: number;
  /** By owner and key. The last used owner, and its last used key, are the last ones. */
  readonly #owners = new Map<object, Map<string, Entry<T>>>();
  #size = 0;

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** The piece of a key, which is read once. */
  of(owner: object, key: string, read: () => Promise<T>, sizeOf: (piece: T) => number): Promise<T> {
    const entries = this.#owners.get(owner) ?? new Map<string, Entry<T>>();
    const entry = entries.get(key) ?? this.#read(owner, key, read, sizeOf);
    this.#owners.delete(owner);
    this.#owners.set(owner, entries);
    entries.delete(key);
    entries.set(key, entry);
    return entry.piece;
  }

  #read(owner: object, key: string, read: () => Promise<T>, sizeOf: (piece: T) => number): Entry<T> {
    const entry: Entry<T> = { piece: read(), size: ENTRY };
    this.#size += ENTRY;
    entry.piece.then(
      (piece) => {
        if (this.#owners.get(owner)?.get(key) !== entry) return;
        entry.size += sizeOf(piece);
        this.#size += entry.size - ENTRY;
        this.#shrink();
      },
      () => {
        if (this.#owners.get(owner)?.get(key) === entry) this.#delete(owner, key);
      },
    );
    return entry;
  }

  /** Deletes the least recently used pieces of the least recently used owners. */
  #shrink(): void {
    for (const [owner, entries] of this.#owners)
      for (const key of entries.keys()) {
        if (this.#size <= this.#most) return;
        this.#delete(owner, key);
      }
  }

  #delete(owner: object, key: string): void {
    const entries = this.#owners.get(owner);
    const entry = entries?.get(key);
    if (entries === undefined || entry === undefined) return;
    entries.delete(key);
    this.#size -= entry.size;
    if (entries.size === 0) this.#owners.delete(owner);
  }

  /** Deletes all pieces of an owner. */
  forget(owner: object): void {
    for (const { size } of this.#owners.get(owner)?.values() ?? []) this.#size -= size;
    this.#owners.delete(owner);
  }
}
