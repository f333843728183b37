import { describeCrs, type GeographicExtent, type KnownCrs } from 'hydrofiles/crs';
import { FormatError } from 'hydrofiles/errors';
import { crsOf, type Header, type Indexed, readHeader } from 'hydrofiles/features';
import type { OpenBlob } from '../../blobs/blob-source.ts';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { TileDrawing } from '../store/tile-store.ts';
import type { FeatureJob } from './vector-job.ts';
import {
  extentOfBox,
  keysOf,
  storedAs,
  type TileField,
  type VectorSubject,
  type WantedVectorTile,
} from './vector-subject.ts';

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
  readonly #dataset: ServedDataset;

  constructor(source: FeatureSource, dataset: ServedDataset) {
    this.#source = source;
    this.#dataset = dataset;
    const fields = source.header.columns.flatMap(({ field }) => field ?? []);
    this.fields = fields.map(({ name, type }, index) => ({ index, name, type }));
  }

  async extent(): Promise<GeographicExtent | undefined> {
    const { header, crs } = this.#source;
    return header.box && extentOfBox(header.box, crs);
  }

  drawing(wanted: WantedVectorTile): TileDrawing {
    const { tile, fields } = wanted;
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
    return {
      ...storedAs(this.#dataset, this, wanted),
      draw: (draw) =>
        source.lend === undefined
          ? draw(job, { read: (offset, length) => source.read(offset, length) })
          : source.lend((descriptor) => draw({ ...job, descriptor })),
    };
  }
}
