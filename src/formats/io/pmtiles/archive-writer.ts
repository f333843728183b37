import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ByteSink } from '../../../data/bytes.ts';
import type { ArchiveHeader } from './archive-header.ts';
import { COMPRESSIONS, HEADER_BYTES, packHeader, ROOT_LIMIT } from './archive-header.ts';
import type { DirectoryEntry } from './directory.ts';
import { packDirectory } from './directory.ts';
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
  readonly #entries: DirectoryEntry[] = [];
  readonly #known = new Map<string, { offset: number; length: number }>();
  #levels: readonly [number, number] = [255, 0];
  #size = 0;

  constructor(spool: ByteSink) {
    this.#spool = spool;
  }

  get tiles(): number {
    return this.#entries.length;
  }

  /** Bytes of the tiles; equal ones count once. */
  get size(): number {
    return this.#size;
  }

  async add(level: number, column: number, row: number, bytes: Uint8Array): Promise<void> {
    const key = hash('sha1', bytes, 'base64');
    let place = this.#known.get(key);
    const isNew = place === undefined;
    place ??= { offset: this.#size, length: bytes.length };
    this.#known.set(key, place);
    this.#entries.push({ id: tileIdOf(level, column, row), run: 1, ...place });
    this.#levels = [Math.min(this.#levels[0], level), Math.max(this.#levels[1], level)];
    if (!isNew) return;
    this.#size += bytes.length;
    await this.#spool.append(bytes);
  }

  /** Header, directories and metadata. The spooled tiles follow. */
  head({ gzip, metadata, ...described }: ArchiveDescription): Uint8Array {
    const entries = joined(this.#entries.toSorted((one, other) => one.id - other.id));
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
      counts: [this.#entries.length, entries.length, this.#known.size],
      tileCompression: gzip ? COMPRESSIONS.gzip : COMPRESSIONS.none,
      levels: this.#entries.length === 0 ? [0, 0] : this.#levels,
    });
    return Buffer.concat([header, root, text, leaves]);
  }
}

/** Neighbours along the curve with the same bytes become one entry. */
function joined(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  const all: DirectoryEntry[] = [];
  for (const entry of entries) {
    const last = all.at(-1);
    if (last !== undefined && last.id + last.run === entry.id && last.offset === entry.offset)
      all[all.length - 1] = { ...last, run: last.run + 1 };
    else all.push(entry);
  }
  return all;
}

/** The root directory has all entries, or one for each leaf. */
function directories(entries: readonly DirectoryEntry[]): { root: Uint8Array; leaves: Uint8Array } {
  const whole = gzipSync(packDirectory(entries));
  if (HEADER_BYTES + whole.length <= ROOT_LIMIT) return { root: whole, leaves: new Uint8Array() };
  for (let size = leafEntries; ; size *= 2) {
    const leaves: Uint8Array[] = [];
    const pointers: DirectoryEntry[] = [];
    let offset = 0;
    for (let first = 0; first < entries.length; first += size) {
      const leaf = gzipSync(packDirectory(entries.slice(first, first + size)));
      pointers.push({ id: entries[first]!.id, run: 0, offset, length: leaf.length });
      leaves.push(leaf);
      offset += leaf.length;
    }
    const root = gzipSync(packDirectory(pointers));
    if (HEADER_BYTES + root.length <= ROOT_LIMIT) return { root, leaves: Buffer.concat(leaves) };
  }
}
