import type { BlobSource, BlobSources } from '../../blobs/blob-source.ts';
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

/** Opens datasets of features; the last used ones stay open, by the name of their blob, which never changes. */
export class VectorSources {
  readonly #sources: BlobSources;
  readonly #open = new Map<string, Promise<VectorSource | undefined>>();

  constructor(sources: BlobSources) {
    this.#sources = sources;
  }

  /** Undefined for a dataset without features. */
  async of({ id, datasetType, blob }: ServedDataset): Promise<VectorSource | undefined> {
    if (datasetType !== 'gisvectordata' || blob === undefined)
      throw new AppError('notFound', `Dataset '${id}' is of type '${datasetType}' and has no vector tiles.`);
    let open = this.#open.get(blob);
    if (open === undefined) {
      open = this.#start(blob);
      open.catch(() => this.#open.delete(blob));
    }
    // The last used dataset is the last one of the map.
    this.#open.delete(blob);
    this.#open.set(blob, open);
    if (this.#open.size > MOST_OPEN) this.#close(this.#open.keys().next().value!);
    try {
      return await open;
    } catch (error) {
      if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${id}': ${error.message}`);
      throw error;
    }
  }

  async #start(blob: string): Promise<VectorSource | undefined> {
    const source = await this.#sources.open(blob);
    try {
      const { index, ...header } = await readHeader(source);
      if (header.count === 0 || index === undefined) {
        await source.close();
        if (header.count === 0 && header.start >= source.size) return undefined;
        throw new FormatError('The features have no spatial index. Import them with GISWriter.');
      }
      const crs = await crsOf(header, { log() {} });
      if (crs === undefined) throw new FormatError('The features have no coordinate system.');
      return { source, header: { ...header, index }, crs: await describeCrs(crs) };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  #close(blob: string): void {
    const open = this.#open.get(blob);
    this.#open.delete(blob);
    open?.then(
      (one) => one?.source.close(),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    for (const blob of [...this.#open.keys()]) this.#close(blob);
  }
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
