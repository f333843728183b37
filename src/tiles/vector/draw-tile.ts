import { foundBlocks } from '../../formats/flatgeobuf/feature-blocks.ts';
import { searchIndex } from '../../formats/flatgeobuf/index-search.ts';
import type { TileNumber } from '../../geo/tiles/vector-tile.ts';
import type { Chosen } from './choose-features.ts';
import { FeatureChooser } from './choose-features.ts';
import { tileArea } from './tile-area.ts';
import type { VectorSource } from './vector-source.ts';
import type { VectorJob, VectorThreads } from './vector-threads.ts';

/** Name of the layer of all tiles, whatever the dataset is called: styles refer to it. */
export const LAYER = 'features';
/** Codes of FlatGeobuf for lines. */
const LINES: readonly number[] = [2, 5];
/** A feature that is larger is left out. */
const MOST_FEATURE_BYTES = 64 << 20;
const MOST_KEPT_BYTES = 64 << 20;

/** Drawn tiles, gzipped: the last used ones stay in memory. Several requests of a tile draw it once. */
export class VectorTiles {
  readonly #threads: VectorThreads;
  readonly #kept = new Map<string, { readonly bytes: Promise<Uint8Array | undefined>; size: number }>();
  #size = 0;

  constructor(threads: VectorThreads) {
    this.#threads = threads;
  }

  /** Undefined for a tile without features. */
  of(vector: VectorSource, tile: TileNumber, fields: VectorJob['fields']): Promise<Uint8Array | undefined> {
    const { level, column, row } = tile;
    const key = [vector.source.name, level, column, row, ...fields.map(({ index }) => index)].join('/');
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.bytes;
    }
    const entry = { bytes: drawTile(vector, tile, fields, this.#threads), size: 0 };
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

async function drawTile(
  { source, header, crs }: VectorSource,
  tile: TileNumber,
  fields: VectorJob['fields'],
  threads: VectorThreads,
): Promise<Uint8Array | undefined> {
  const area = await tileArea(tile, crs);
  const all = header.box ?? area.tile;
  const chooser = new FeatureChooser(area.tile ?? all!, LINES.includes(header.geometryType));
  for await (const found of searchIndex(source, header, area.wanted)) for (const one of found) chooser.add(one);
  const chosen = chooser.chosen();
  if (chosen.length === 0) return undefined;
  const { columns, geometryType, hasZ, hasM } = header;
  const blocks = await blocksOf(source, chosen);
  return threads.draw({ tile, crs, header: { columns, geometryType, hasZ, hasM }, layer: LAYER, fields, blocks });
}

/** The bytes of the features, copied: a block is valid until the next one. */
async function blocksOf(source: VectorSource['source'], chosen: readonly Chosen[]): Promise<VectorJob['blocks']> {
  const numbers = new Map(chosen.map((one) => [one.number, one]));
  const blocks: VectorJob['blocks'][number][] = [];
  for await (const { bytes, offset, features } of foundBlocks(source, chosen, MOST_FEATURE_BYTES)) {
    const placed = features.map(({ number, at, size }) => {
      const { side, gathered } = numbers.get(number)!;
      return { number, at, size, side, gathered };
    });
    blocks.push({ bytes: Uint8Array.prototype.slice.call(bytes), offset, features: placed });
  }
  return blocks;
}
