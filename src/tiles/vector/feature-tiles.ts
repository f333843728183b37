import type { OpenBlob } from '../../blobs/blob-source.ts';
import { FormatError } from '../../files/errors.ts';
import { type Header, readHeader } from '../../files/formats/flatgeobuf/header-reader.ts';
import type { Indexed } from '../../files/formats/flatgeobuf/index-search.ts';
import { describeCrs, type KnownCrs } from '../../files/geo/crs/crs.ts';
import type { GeographicExtent } from '../../files/geo/crs/geographic-extent.ts';
import type { TileNumber } from '../../files/tiles/vector/vector-tile.ts';
import type { TileRequest } from '../draw-threads.ts';
import type { DrawVector, VectorDrawings } from './vector-drawings.ts';
import type { FeatureJob } from './vector-job.ts';
import { extentOfBox, keysOf, type TileField, type VectorSubject, type WantedVectorTile } from './vector-subject.ts';

/** A tile that was drawn before, gzipped; undefined if it must be drawn. */
export type StoredTileOf = (tile: TileNumber) => Promise<Uint8Array | undefined>;

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
  const { crsOf } = await import('../../files/formats/flatgeobuf/reader.ts');
  const crs = await crsOf(header, { remark() {} });
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
  readonly #overview: StoredTileOf;

  /** @param overview finds tiles that are drawn already */
  constructor(source: FeatureSource, drawings: VectorDrawings, overview: StoredTileOf) {
    this.#source = source;
    this.#drawings = drawings;
    this.#overview = overview;
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
    const isWhole = fields.length === this.fields.length;
    return this.#drawings.of(key, request, {
      stored: async () => (isWhole ? this.#overview(tile) : undefined),
      draw: this.#drawing(tile, fields),
    });
  }

  #drawing(tile: TileNumber, fields: readonly TileField[]): DrawVector {
    const { source, header, crs } = this.#source;
    const job: FeatureJob = {
      kind: 'features',
      tile,
      crs,
      blob: source.name,
      size: source.size,
      header,
      fields: fields.map(({ index }) => index),
      keys: keysOf(fields),
    };
    return (draw) =>
      source.lend === undefined
        ? draw(job, (offset, length) => source.read(offset, length))
        : source.lend((descriptor) => draw({ ...job, descriptor }));
  }

  /** Draws a tile anew, to compare it with a stored one. */
  drawAnew(tile: TileNumber, request: TileRequest): Promise<Uint8Array | undefined> {
    return this.#drawings.anew(request, this.#drawing(tile, this.fields));
  }

  /** The tile of the overview of the dataset. */
  stored(tile: TileNumber): Promise<Uint8Array | undefined> {
    return this.#overview(tile);
  }
}
