import { TILE_TYPES } from '../../../formats/io/pmtiles/archive-header.ts';
import type { ZipWriter } from '../../../formats/io/zip-writer.ts';
import { type AddTile, addArchive } from '../../dataset/zip-archive.ts';
import { type ItemValues, type KeptSlice, sliceValuesName, type ValueEntries } from './item-values.ts';

/** Keeps the values of items in the zip of the tiles; those that several schemes draw, once. */
export class KeptValues {
  readonly #entries: ValueEntries;
  readonly #kept = new Set<string>();

  /** @param names of entries that the zip has already */
  constructor(zip: ZipWriter, scratch: string, names = new Set<string>()) {
    this.#entries = {
      has: (name) => names.has(name),
      async bytes(name, bytes) {
        names.add(name);
        await zip.addBytes(name, bytes);
      },
      async archive(name, fill) {
        names.add(name);
        const described = {
          tileType: TILE_TYPES.unknown,
          bounds: [-180, -85, 180, 85],
          gzip: true,
          metadata: { name },
        } as const;
        await addArchive(zip, name, scratch, described, (archive) =>
          fill((level, column, row, bytes) => archive.add(level, column, row, bytes)),
        );
      },
    };
  }

  async keep(values: ItemValues, name: string, slices: KeptSlice): Promise<void> {
    const key = sliceValuesName(name, slices.kept);
    if (this.#kept.has(key)) return;
    this.#kept.add(key);
    await values.keep(name, slices, this.#entries);
  }

  /** Draws a slice, whose overviews are kept under a name unless they are kept already. */
  async overviews(name: string, draw: (keep?: AddTile) => Promise<void>): Promise<void> {
    if (this.#kept.has(name)) return draw();
    this.#kept.add(name);
    await this.#entries.archive(name, draw);
  }
}
