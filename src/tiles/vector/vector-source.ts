import type { BlobSource, BlobSources } from '../../blobs/blob-source.ts';
import { OpenBlobs } from '../../blobs/open-blobs.ts';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { Header } from '../../formats/flatgeobuf/header-reader.ts';
import { readHeader } from '../../formats/flatgeobuf/header-reader.ts';
import type { Indexed } from '../../formats/flatgeobuf/index-search.ts';
import { crsOf } from '../../formats/flatgeobuf/reader.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import type { GeographicExtent } from '../../geo/tiles/place.ts';
import { extentOf, runOn, toGeographic } from '../../geo/tiles/place.ts';

/** Datasets whose headers are in memory. */
const MOST_OPEN = 100;
const net = 16;

/** Features of a dataset with an index. */
export interface VectorSource {
  readonly source: BlobSource;
  readonly header: Header & Indexed;
  readonly crs: KnownCrs;
}

/** Opens datasets of features. */
export class VectorSources {
  readonly #open: OpenBlobs<VectorSource | undefined>;

  constructor(sources: BlobSources) {
    this.#open = new OpenBlobs(sources, MOST_OPEN, readSource);
  }

  /** Undefined for a dataset without features. */
  async of({ id, datasetType, blob }: ServedDataset): Promise<VectorSource | undefined> {
    if (datasetType !== 'gisvectordata' || blob === undefined)
      throw new AppError('notFound', `Dataset '${id}' is of type '${datasetType}' and has no vector tiles.`);
    return this.#open.of(id, blob);
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}

async function readSource(source: BlobSource): Promise<VectorSource | undefined> {
  const { index, ...header } = await readHeader(source);
  if (header.count === 0 && header.start >= source.size) return undefined;
  if (header.count === 0 || index === undefined)
    throw new FormatError('The features have no spatial index. Import them with GISWriter.');
  const crs = await crsOf(header, { log() {} });
  if (crs === undefined) throw new FormatError('The features have no coordinate system.');
  return { source, header: { ...header, index }, crs: await describeCrs(crs) };
}

/** Where the features lie on the earth. */
export async function extentOfFeatures({ header: { box }, crs }: VectorSource): Promise<GeographicExtent | undefined> {
  if (box === undefined) return undefined;
  const [x, y] = [new Float64Array((net + 1) ** 2), new Float64Array((net + 1) ** 2)];
  for (let n = 0; n < x.length; n++) {
    x[n] = box.west + ((n % (net + 1)) / net) * (box.east - box.west);
    y[n] = box.south + (Math.floor(n / (net + 1)) / net) * (box.north - box.south);
  }
  await toGeographic(crs, x, y);
  runOn(x, net + 1);
  return extentOf(x, y);
}
