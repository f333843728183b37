import { loadOnce } from 'hydrofiles/caches';
import { FormatError } from 'hydrofiles/errors';
import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../errors.ts';
import type { BlobSources, OpenBlob } from './blob-source.ts';

interface Open<T> {
  readonly source: OpenBlob;
  readonly content: T;
}

/** How much stays open. */
export interface Kept<T> {
  /** Contents. */
  readonly most: number;
  /** Maximum bytes in memory, as counted by `bytesOf`. */
  readonly mostBytes?: number;
  bytesOf?(content: T): number;
  /** Blobs of a local store are read without a cache (`openDirect`). */
  readonly direct?: boolean;
}

/**
 * Contents of datasets that stay open: of the last used ones, what was read at the opening is kept, by the name of the
 * blob. A blob never changes, because each write of a dataset makes a new one.
 */
export class OpenBlobs<T> {
  readonly #sources: BlobSources;
  readonly #kept: Kept<T>;
  readonly #read: (source: OpenBlob, blob: string) => Promise<T>;
  /** Sources are not closed with it, because requests may be reading from them, which the close would end. */
  readonly #open: LRUCache<string, Promise<Open<T>>>;

  /** @param read reads the cached value, such as a header */
  constructor(sources: BlobSources, kept: Kept<T>, read: (source: OpenBlob, blob: string) => Promise<T>) {
    this.#sources = sources;
    this.#kept = kept;
    this.#read = read;
    this.#open = new LRUCache({ max: kept.most, ...(kept.mostBytes && { maxSize: kept.mostBytes }) });
  }

  /**
   * As `open`; throws `unprocessable` for damaged content, and `notFound` for content that was replaced since the
   * dataset was read.
   */
  async of(dataset: string, blob: string): Promise<T> {
    try {
      return await this.open(blob);
    } catch (error) {
      if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${dataset}': ${error.message}`);
      if (error instanceof AppError && error.kind === 'notFound') throw notFound('Dataset', dataset);
      throw error;
    }
  }

  async open(blob: string): Promise<T> {
    const { bytesOf } = this.#kept;
    const sizeOf = bytesOf && (({ content }: Open<T>) => bytesOf(content));
    return (await loadOnce(this.#open, blob, () => this.#start(blob), sizeOf)).content;
  }

  /** The next request opens the blob again. */
  forget(blob: string): void {
    this.#open.delete(blob);
  }

  async #start(blob: string): Promise<Open<T>> {
    const { direct = false } = this.#kept;
    const source = await (direct ? this.#sources.openDirect(blob) : this.#sources.open(blob));
    try {
      const content = await this.#read(source, blob);
      return { source, content };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** Ends requests that are reading. */
  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const opening of all)
      await opening.then(
        ({ source }) => source.close(),
        () => undefined,
      );
  }
}
