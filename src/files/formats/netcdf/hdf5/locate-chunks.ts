import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { readBuffer } from '../../io/buffers.ts';
import type { StoredBlock } from '../../io/stored-layout.ts';
import { addressAt } from './object-header.ts';

export const skipsFilters = () => new FormatError('Some of its chunks were stored without the filters of the others.');

const mostChunks = 2_000_000;
const deepest = 32;

/** The chunks of a dataset, which stand in a B-tree of version 1 (HDF5 File Format Specification 3.0, III.A.1). */
export class ChunkIndex {
  readonly #source: ByteSource;
  readonly #base: number;
  readonly #chunks: readonly number[];
  #left = mostChunks;

  /** @param chunks lengths of a chunk */
  constructor(source: ByteSource, base: number, chunks: readonly number[]) {
    this.#source = source;
    this.#base = base;
    this.#chunks = chunks;
  }

  /** @throws FormatError for a damaged tree, or for a chunk that skipped filters */
  async blocks(root: number): Promise<StoredBlock[]> {
    const blocks: StoredBlock[] = [];
    await this.#add(root, undefined, blocks);
    return blocks;
  }

  async #add(address: number, level: number | undefined, blocks: StoredBlock[]): Promise<void> {
    const at = this.#base + address;
    const rank = this.#chunks.length;
    const keyBytes = 8 + 8 * (rank + 1);
    const head = await readBuffer(this.#source, at, 24);
    const found = head[5] ?? 0;
    const isNode = head.length === 24 && head.toString('latin1', 0, 4) === 'TREE' && head[4] === 1;
    if (!isNode || found > deepest || (level !== undefined && found !== level))
      throw new FormatError('The index of its chunks is not valid.', at);
    const count = head.readUInt16LE(6);
    this.#left -= count;
    if (this.#left < 0) throw new FormatError(`It has more than ${mostChunks} chunks.`, at);
    const bytes = await readBuffer(this.#source, at + 24, count * (keyBytes + 8));
    if (bytes.length < count * (keyBytes + 8))
      throw new FormatError('The file ends within the index of its chunks.', at);
    for (let n = 0; n < count; n++) {
      const key = n * (keyBytes + 8);
      const child = addressAt(bytes, key + keyBytes);
      if (child === undefined) throw new FormatError('The index of its chunks is not valid.', at);
      if (found > 0) {
        await this.#add(child, found - 1, blocks);
        continue;
      }
      if (bytes.readUInt32LE(key + 4) !== 0) throw skipsFilters();
      const index = this.#chunks.map((length, d) => Math.floor((addressAt(bytes, key + 8 + 8 * d) ?? 0) / length));
      blocks.push({ index, offset: this.#base + child, length: bytes.readUInt32LE(key) });
    }
  }
}
