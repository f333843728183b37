import type { ByteSource } from '../../data/bytes.ts';

const blockBytes = 8192;

/** A source that answers small reads near each other from one block in memory. */
export class NearbyReads implements ByteSource {
  readonly #source: ByteSource;
  #start = 0;
  #block: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#source.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length > blockBytes) return this.#source.read(offset, length);
    if (offset < this.#start || offset + length > this.#start + this.#block.length) {
      this.#block = await this.#source.read(offset, blockBytes);
      this.#start = offset;
    }
    // a copy, so that what is kept of it does not keep the block
    return this.#block.slice(offset - this.#start, offset - this.#start + length);
  }
}
