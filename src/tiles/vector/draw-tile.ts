import { foundBlocks } from '../../formats/flatgeobuf/feature-blocks.ts';
import { searchLeaves } from '../../formats/flatgeobuf/index-search.ts';
import type { TileNumber } from '../../geo/tiles/vector-tile.ts';
import type { Chosen } from './choose-features.ts';
import { FeatureChooser } from './choose-features.ts';
import { tileArea } from './tile-area.ts';
import type { VectorSource } from './vector-source.ts';
import type { PackedFeatures, VectorJob, VectorThreads } from './vector-threads.ts';
import { NUMBERS } from './vector-threads.ts';

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
  const lines = LINES.includes(header.geometryType);
  const chooser = new FeatureChooser(area.tile ?? all!, lines);
  for await (const leaves of searchLeaves(source, header, area.wanted)) chooser.add(leaves);
  const { features: chosen, side } = chooser.chosen();
  if (chosen.length === 0) return undefined;
  const { columns, geometryType, hasZ, hasM } = header;
  const features = await packed(source, chosen);
  return threads.draw({
    tile,
    crs,
    header: { columns, geometryType, hasZ, hasM },
    layer: LAYER,
    fields,
    lines,
    side,
    features,
  });
}

/** The bytes of the features alone: blocks also have what lies between them. */
async function packed(source: VectorSource['source'], chosen: readonly Chosen[]): Promise<PackedFeatures> {
  const numbers = new Float64Array(NUMBERS * chosen.length);
  let all = new Uint8Array(1 << 20);
  let [length, count] = [0, 0];
  let n = 0;
  for await (const { bytes, features } of foundBlocks(source, chosen, MOST_FEATURE_BYTES))
    for (const { number, at, size } of features) {
      // Those that are too large are not among the features of the block.
      while (chosen[n]!.number !== number) n++;
      const one = chosen[n]!;
      numbers.set([number, length, length + size, one.side, one.size, Number(one.gathered)], NUMBERS * count);
      if (length + size > all.length) {
        const larger = new Uint8Array(Math.max(2 * all.length, length + size));
        larger.set(all);
        all = larger;
      }
      all.set(bytes.subarray(at, at + size), length);
      length += size;
      count++;
    }
  return { bytes: all.subarray(0, length), numbers: numbers.slice(0, NUMBERS * count) };
}
