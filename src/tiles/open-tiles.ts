import { StoredTiles } from 'hydrofiles/tiles';
import type { BlobSources } from '../blobs/blob-source.ts';
import { OpenBlobs } from '../blobs/open-blobs.ts';
import type { ServedDataset } from '../datasets/served.queries.ts';
import { AppError } from '../errors.ts';

/** Datasets whose directories are in memory. */
const MOST_OPEN = 200;
/** Bytes of the texts of their descriptions, which take several times as many in memory. */
const MOST_TEXT = 32 << 20;

/** Opens tiles datasets. */
export class OpenTiles {
  readonly #open: OpenBlobs<StoredTiles>;

  constructor(sources: BlobSources) {
    this.#open = new OpenBlobs(
      sources,
      { most: MOST_OPEN, mostBytes: MOST_TEXT, bytesOf: ({ textBytes }) => textBytes },
      (source) => StoredTiles.open(source),
    );
  }

  async of({ id, datasetType, blob }: ServedDataset): Promise<StoredTiles> {
    if (datasetType !== 'tiles' || blob === undefined)
      throw new AppError('notFound', `Dataset '${id}' is of type '${datasetType}' and has no raster tiles.`);
    return this.#open.of(id, blob);
  }

  /**
   * As `of`; its errors do not name the dataset.
   * @throws FormatError for damaged content, AppError `notFound` for content that was replaced
   */
  ofBlob(blob: string): Promise<StoredTiles> {
    return this.#open.open(blob);
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}
