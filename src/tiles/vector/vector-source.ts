import { loadOnce } from 'hydrofiles/caches';
import { MeshElements } from 'hydrofiles/tile-drawing';
import { LRUCache } from 'lru-cache';
import type { Stores } from '../../arrays/stores.ts';
import type { BlobSources } from '../../blobs/blob-source.ts';
import { OpenBlobs } from '../../blobs/open-blobs.ts';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import { AppError, notFound } from '../../errors.ts';
import { ElementTiles } from './element-tiles.ts';
import { type FeatureSource, FeatureTiles, readFeatureSource } from './feature-tiles.ts';
import type { VectorSubject } from './vector-subject.ts';

/** Datasets of features whose headers, and meshes whose elements are in memory. */
const MOST_OPEN = 100;
const MOST_MESHES = 8;

/** Opens datasets of features and meshes to draw tiles of them. */
export class VectorSources {
  readonly #features: OpenBlobs<FeatureSource | undefined>;
  readonly #stores: Stores;
  /** Meshes by the name of their blob. */
  readonly #meshes = new LRUCache<string, Promise<MeshElements>>({ max: MOST_MESHES });

  constructor(sources: BlobSources, stores: Stores) {
    this.#features = new OpenBlobs(sources, { most: MOST_OPEN, direct: true }, readFeatureSource);
    this.#stores = stores;
  }

  /** Undefined for a dataset without features. */
  async of(dataset: ServedDataset): Promise<VectorSubject | undefined> {
    const { id, datasetType, blob, storageSize } = dataset;
    if (blob !== undefined && datasetType === 'gisvectordata') return this.features(dataset, blob);
    if (blob !== undefined && datasetType === 'multidimensional' && storageSize > 0)
      return new ElementTiles(
        await loadOnce(this.#meshes, blob, () => this.#openMesh(id, blob)),
        dataset,
        this.#stores,
      );
    throw none(id, `is of type '${datasetType}'`);
  }

  /** Undefined for a dataset without features. */
  async features(dataset: ServedDataset, blob: string): Promise<FeatureTiles | undefined> {
    const source = await this.#features.of(dataset.id, blob);
    return source && new FeatureTiles(source, dataset);
  }

  async #openMesh(id: string, blob: string): Promise<MeshElements> {
    const { data } = await this.#stores.open(blob).catch((error: unknown) => {
      // A write has replaced the content since the record was read.
      throw error instanceof AppError && error.kind === 'notFound' ? notFound('Dataset', id) : error;
    });
    if (data.kind !== 'mesh') throw none(id, `holds ${data.kind === 'grid' ? 'a grid' : 'an array'}`);
    return MeshElements.of(data, blob);
  }

  close(): Promise<void> {
    return this.#features.close();
  }
}

const none = (id: string, what: string) => new AppError('notFound', `Dataset '${id}' ${what} and has no vector tiles.`);
