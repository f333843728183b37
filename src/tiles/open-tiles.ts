import type { BlobSource, BlobSources } from '../blobs/blob-source.ts';
import type { ServedDataset } from '../datasets/served.queries.ts';
import { AppError, FormatError, notFound } from '../errors.ts';
import { StoredTiles } from '../formats/tiles/stored-tiles.ts';

/** Datasets whose directories are in memory. */
const MOST_OPEN = 200;

interface Open {
  readonly source: BlobSource;
  readonly tiles: StoredTiles;
}

/**
 * Opens tiles datasets. The directories of the last used ones stay in memory, by the name of their blob: a blob never
 * changes, because each write of a dataset makes a new one.
 */
export class OpenTiles {
  readonly #sources: BlobSources;
  readonly #open = new Map<string, Promise<Open>>();

  constructor(sources: BlobSources) {
    this.#sources = sources;
  }

  async of({ id, datasetType, blob }: ServedDataset): Promise<StoredTiles> {
    if (datasetType !== 'tiles' || blob === undefined)
      throw new AppError('notFound', `Dataset '${id}' is of type '${datasetType}' and has no raster tiles.`);
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
      return (await open).tiles;
    } catch (error) {
      if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${id}': ${error.message}`);
      // replaced since its row was read
      if (error instanceof AppError && error.kind === 'notFound') throw notFound('Dataset', id);
      throw error;
    }
  }

  async #start(blob: string): Promise<Open> {
    const source = await this.#sources.open(blob);
    try {
      return { source, tiles: await StoredTiles.open(source) };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** Requests that are reading from it end first: the source waits for them. */
  #close(blob: string): void {
    const open = this.#open.get(blob);
    this.#open.delete(blob);
    open?.then(
      ({ source }) => source.close(),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    for (const blob of [...this.#open.keys()]) this.#close(blob);
  }
}
