import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ByteSink } from '../../../data/bytes.ts';
import { grown } from '../../../data/number-list.ts';
import { type ArchiveHeader, COMPRESSIONS, HEADER_BYTES, packHeader, ROOT_LIMIT } from './archive-header.ts';
import { type DirectoryColumns, packDirectory } from './directory.ts';
import { tileIdOf } from './tile-ids.ts';

/** Entries of a leaf directory. */
const leafEntries = 4096;

export interface ArchiveDescription extends Pick<ArchiveHeader, 'tileType' | 'bounds' | 'clustered'> {
  readonly gzip: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Collects tiles in a spool, equal ones once, and makes the sections of a PMTiles file that come before them. */
export class ArchiveWriter {
  readonly #spool: ByteSink;
  readonly #entries = new Entries();
  /** Hashes of tiles and the first entry of each. */
  readonly #known = new Map<string, number>();
  #levels: readonly [number, number] = [255, 0];
  #size = 0;

  constructor(spool: ByteSink) {
    this.#spool = spool;
  }

  get tiles(): number {
    return this.#entries.count;
  }

  /** Bytes of the tiles; equal ones count once. */
  get size(): number {
    return this.#size;
  }

  async add(level: number, column: number, row: number, bytes: Uint8Array): Promise<void> {
    const key = hash('sha1', bytes, 'base64');
    const known = this.#known.get(key);
    const id = tileIdOf(level, column, row);
    this.#levels = [Math.min(this.#levels[0], level), Math.max(this.#levels[1], level)];
    if (known !== undefined) return this.#entries.repeat(id, known);
    this.#known.set(key, this.#entries.count);
    this.#entries.add(id, this.#size, bytes.length);
    this.#size += bytes.length;
    await this.#spool.append(bytes);
  }

  /** Header, directories and metadata. The spooled tiles follow. */
  head({ gzip, metadata, ...described }: ArchiveDescription): Uint8Array {
    const entries = this.#entries.joined();
    const { root, leaves } = directories(entries);
    const text = gzipSync(JSON.stringify(metadata));
    const afterRoot = HEADER_BYTES + root.length;
    const afterText = afterRoot + text.length;
    const header = packHeader({
      ...described,
      root: { offset: HEADER_BYTES, length: root.length },
      metadata: { offset: afterRoot, length: text.length },
      leaves: { offset: afterText, length: leaves.length },
      tiles: { offset: afterText + leaves.length, length: this.#size },
      counts: [this.#entries.count, entries.ids.length, this.#known.size],
      tileCompression: gzip ? COMPRESSIONS.gzip : COMPRESSIONS.none,
      levels: this.#entries.count === 0 ? [0, 0] : this.#levels,
    });
    return Buffer.concat([header, root, text, leaves]);
  }
}

/** Id and byte range of each tile: 24 bytes, because there may be a million tiles. */
class Entries {
  #numbers = new Float64Array(3 << 10);
  count = 0;

  add(id: number, offset: number, length: number): void {
    if (3 * this.count === this.#numbers.length) this.#numbers = grown(this.#numbers);
    this.#numbers.set([id, offset, length], 3 * this.count);
    this.count++;
  }

  /** Adds a tile with the bytes of another one. */
  repeat(id: number, other: number): void {
    this.add(id, this.#numbers[3 * other + 1]!, this.#numbers[3 * other + 2]!);
  }

  /** In the order of their ids. Neighbours along the curve with the same bytes become one entry. */
  joined(): DirectoryColumns {
    const numbers = this.#numbers;
    const order = Uint32Array.from({ length: this.count }, (_, n) => n);
    order.sort((one, other) => numbers[3 * one]! - numbers[3 * other]!);
    const columns = newColumns(this.count);
    const { ids, runs, offsets, lengths } = columns;
    let size = 0;
    for (const n of order) {
      const id = numbers[3 * n]!;
      const offset = numbers[3 * n + 1]!;
      const last = size - 1;
      if (size > 0 && ids[last]! + runs[last]! === id && offsets[last] === offset) runs[last]!++;
      else {
        ids[size] = id;
        runs[size] = 1;
        offsets[size] = offset;
        lengths[size] = numbers[3 * n + 2]!;
        size++;
      }
    }
    return part(columns, 0, size);
  }
}

const newColumns = (count: number): DirectoryColumns => ({
  ids: new Float64Array(count),
  runs: new Float64Array(count),
  offsets: new Float64Array(count),
  lengths: new Float64Array(count),
});

const part = ({ ids, runs, offsets, lengths }: DirectoryColumns, first: number, end: number): DirectoryColumns => ({
  ids: ids.subarray(first, end),
  runs: runs.subarray(first, end),
  offsets: offsets.subarray(first, end),
  lengths: lengths.subarray(first, end),
});

/** The root directory has all entries, or one for each leaf. */
function directories(entries: DirectoryColumns): { root: Uint8Array; leaves: Uint8Array } {
  const whole = gzipSync(packDirectory(entries));
  if (HEADER_BYTES + whole.length <= ROOT_LIMIT) return { root: whole, leaves: new Uint8Array() };
  for (let size = leafEntries; ; size *= 2) {
    const leaves: Uint8Array[] = [];
    // Run length 0 marks a leaf directory.
    const pointers = newColumns(Math.ceil(entries.ids.length / size));
    let offset = 0;
    for (let n = 0; n < pointers.ids.length; n++) {
      const leaf = gzipSync(packDirectory(part(entries, n * size, (n + 1) * size)));
      pointers.ids[n] = entries.ids[n * size]!;
      pointers.offsets[n] = offset;
      pointers.lengths[n] = leaf.length;
      leaves.push(leaf);
      offset += leaf.length;
    }
    const root = gzipSync(packDirectory(pointers));
    if (HEADER_BYTES + root.length <= ROOT_LIMIT) return { root, leaves: Buffer.concat(leaves) };
  }
}
