import { AppError, FormatError, notFound } from '../errors.ts';
import type { BlobSource, BlobSources } from './blob-source.ts';

interface Open<T> {
  readonly source: BlobSource;
  readonly content: T;
}

/**
 * Contents of datasets that stay open: of the last used ones, what was read at the opening is kept, by the name of the blob. A blob never
 * changes, because each write of a dataset makes a new one.
 */
export class OpenBlobs<T> {
  readonly #sources: BlobSources;
  readonly #most: number;
  readonly #read: (source: BlobSource) => Promise<T>;
  /** Least recently used first. */
  readonly #open = new Map<string, Promise<Open<T>>>();

  /**
   * @param most contents that stay open
   * @param read reads what is kept, such as a header
   */
  constructor(sources: BlobSources, most: number, read: (source: BlobSource) => Promise<T>) {
    this.#sources = sources;
    this.#most = most;
    this.#read = read;
  }

  /** Throws `unprocessable` for damaged content, and `notFound` for content that was replaced since the dataset was read. */
  async of(dataset: string, blob: string): Promise<T> {
    let open = this.#open.get(blob);
    if (open === undefined) {
      open = this.#start(blob);
      open.catch(() => this.#open.delete(blob));
    }
    this.#open.delete(blob);
    this.#open.set(blob, open);
    if (this.#open.size > this.#most) this.#close(this.#open.keys().next().value!);
    try {
      return (await open).content;
    } catch (error) {
      if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${dataset}': ${error.message}`);
      if (error instanceof AppError && error.kind === 'notFound') throw notFound('Dataset', dataset);
      throw error;
    }
  }

  async #start(blob: string): Promise<Open<T>> {
    const source = await this.#sources.open(blob);
    try {
      return { source, content: await this.#read(source) };
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
