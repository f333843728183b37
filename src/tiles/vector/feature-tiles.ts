import type { OpenBlob } from '../../blobs/blob-source.ts';
import { FormatError } from '../../errors.ts';
import { foundBlocks } from '../../formats/flatgeobuf/feature-blocks.ts';
import type { Header } from '../../formats/flatgeobuf/header-reader.ts';
import { readHeader } from '../../formats/flatgeobuf/header-reader.ts';
import type { Found, Indexed } from '../../formats/flatgeobuf/index-search.ts';
import { searchLeaves } from '../../formats/flatgeobuf/index-search.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import type { Chosen } from '../../geo/tiles/choose-features.ts';
import { FeatureChooser } from '../../geo/tiles/choose-features.ts';
import type { GeographicExtent } from '../../geo/tiles/place.ts';
import { TileAreas } from '../../geo/tiles/tile-area.ts';
import type { TileNumber } from '../../geo/tiles/vector-tile.ts';
import type { TileRequest } from '../draw-threads.ts';
import type { VectorDrawings } from './vector-drawings.ts';
import type { VectorJob } from './vector-job.ts';
import { NUMBERS } from './vector-job.ts';
import type { TileField, VectorSubject, WantedVectorTile } from './vector-subject.ts';
import { extentOfBox, keysOf } from './vector-subject.ts';

/** Codes of FlatGeobuf for lines. */
const LINES: readonly number[] = [2, 5];
/** A feature that is larger is left out. */
const MOST_FEATURE_BYTES = 64 << 20;

/** Features of a dataset with an index. */
export interface FeatureSource {
  readonly source: OpenBlob;
  readonly header: Header & Indexed;
  readonly crs: KnownCrs;
}

/** Undefined for a dataset without features. */
export async function readFeatureSource(source: OpenBlob): Promise<FeatureSource | undefined> {
  const { index, ...header } = await readHeader(source);
  if (header.count === 0 && header.start >= source.size) return undefined;
  if (header.count === 0 || index === undefined)
    throw new FormatError('The features have no spatial index. Import them with GISWriter.');
  const { crsOf } = await import('../../formats/flatgeobuf/reader.ts');
  const crs = await crsOf(header, { log() {} });
  if (crs === undefined) throw new FormatError('The features have no coordinate system.');
  return { source, header: { ...header, index }, crs: await describeCrs(crs) };
}

/** Tiles of the features of a dataset. */
export class FeatureTiles implements VectorSubject {
  readonly layer = 'features';
  readonly timeStamps = [];
  readonly layerIds = [];
  readonly fields: readonly TileField[];
  readonly #source: FeatureSource;
  readonly #drawings: VectorDrawings;

  constructor(source: FeatureSource, drawings: VectorDrawings) {
    this.#source = source;
    this.#drawings = drawings;
    const fields = source.header.columns.flatMap(({ field }) => field ?? []);
    this.fields = fields.map(({ name, type }, index) => ({ index, name, type }));
  }

  async extent(): Promise<GeographicExtent | undefined> {
    const { header, crs } = this.#source;
    return header.box && extentOfBox(header.box, crs);
  }

  tile({ tile, fields }: WantedVectorTile, request: () => TileRequest): Promise<Uint8Array | undefined> {
    const { level, column, row } = tile;
    const key = [this.#source.source.name, level, column, row, ...fields.map(({ index }) => index)].join('/');
    return this.#drawings.of(key, request, async (draw, signal) => {
      const job = await jobOf(this.#source, { tile, fields, signal });
      return job && draw(job);
    });
  }
}

/** What is drawn of a tile; undefined if nothing lies in it. */
async function jobOf(
  { source, header, crs }: FeatureSource,
  { tile, fields, signal }: { tile: TileNumber; fields: readonly TileField[]; signal: AbortSignal },
): Promise<VectorJob | undefined> {
  using areas = await TileAreas.create(crs);
  const area = areas.of(tile);
  const lines = LINES.includes(header.geometryType);
  const chooser = new FeatureChooser<Found>(areas.pixel(tile, area.tile, (header.box ?? area.tile)!), lines);
  for await (const leaves of searchLeaves(source, header, area.wanted)) {
    signal.throwIfAborted();
    chooser.add(leaves);
  }
  const { features: chosen, side } = chooser.chosen();
  if (chosen.length === 0) return undefined;
  const { columns, geometryType, hasZ, hasM } = header;
  const { bytes, numbers } = await packed(source, chosen, signal);
  return {
    tile,
    crs,
    layer: { name: 'features', keys: keysOf(fields), lines, side },
    numbers,
    content: {
      kind: 'features',
      header: { columns, geometryType, hasZ, hasM },
      fields: fields.map(({ index }) => index),
      bytes,
    },
  };
}

/** The bytes of the features alone: blocks also have what lies between them. */
async function packed(source: OpenBlob, chosen: readonly Chosen<Found>[], signal: AbortSignal) {
  const numbers = new Float64Array(NUMBERS * chosen.length);
  let all = new Uint8Array(1 << 20);
  let [length, count] = [0, 0];
  let n = 0;
  for await (const { bytes, features } of foundBlocks(source, chosen, MOST_FEATURE_BYTES)) {
    signal.throwIfAborted();
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
  }
  return { bytes: all.subarray(0, length), numbers: numbers.slice(0, NUMBERS * count) };
}
